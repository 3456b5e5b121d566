//! A folder of an object store, for code that is not asynchronous: [`ObjectFolder`].

use std::fmt;
use std::io;
use std::sync::Arc;
use std::time::Duration;

use futures_util::StreamExt as _;
use futures_util::stream::BoxStream;
use object_store::aws::AmazonS3Builder;
use object_store::azure::MicrosoftAzureBuilder;
use object_store::gcp::GoogleCloudStorageBuilder;
use object_store::path::Path;
use object_store::{
    BackoffConfig, ClientOptions, Error as StoreError, GetOptions, GetResult, ObjectMeta,
    ObjectStore, RetryConfig,
};
use tokio::runtime::{Builder, Runtime};

use super::origin::{ObjectOrigin, ObjectService};

/// How long a connection may take to open.
const CONNECT: Duration = Duration::from_secs(10);

/// How long the answer to a request may take.
const ANSWER: Duration = Duration::from_secs(60);

/// How often a request is repeated that a server refused for now or did not answer, and for how
/// long.
const RETRIES: usize = 4;
const RETRY_FOR: Duration = Duration::from_secs(60);

/// The objects below a prefix.
pub(super) struct ObjectFolder {
    store: Arc<dyn ObjectStore>,
    prefix: Path,
    runtime: Runtime,
}

/// An object that was opened, but not yet read.
pub(super) struct Opened {
    pub(super) meta: ObjectMeta,
    result: GetResult,
}

impl ObjectFolder {
    /// That of an origin, with the credentials that the environment names.
    ///
    /// # Errors
    ///
    /// When the configuration is not complete.
    pub(super) fn of(origin: &ObjectOrigin) -> io::Result<ObjectFolder> {
        let retry = RetryConfig {
            backoff: BackoffConfig::default(),
            max_retries: RETRIES,
            retry_timeout: RETRY_FOR,
        };
        let is_open = |endpoint: &String| endpoint.starts_with("http://");
        let client = ClientOptions::new()
            .with_connect_timeout(CONNECT)
            .with_timeout(ANSWER)
            .with_allow_http(origin.endpoint.as_ref().is_some_and(is_open));
        let bucket = origin.bucket();
        let store: Arc<dyn ObjectStore> = match origin.service() {
            ObjectService::S3 => {
                let mut builder = AmazonS3Builder::from_env()
                    .with_bucket_name(bucket)
                    .with_client_options(client)
                    .with_retry(retry);
                if let Some(endpoint) = &origin.endpoint {
                    builder = builder.with_endpoint(endpoint);
                }
                Arc::new(builder.build().map_err(failed)?)
            }
            ObjectService::Gcs => {
                let mut builder = GoogleCloudStorageBuilder::from_env()
                    .with_bucket_name(bucket)
                    .with_client_options(client)
                    .with_retry(retry);
                if let Some(endpoint) = &origin.endpoint {
                    builder = builder.with_base_url(endpoint);
                }
                Arc::new(builder.build().map_err(failed)?)
            }
            ObjectService::Azure => {
                let mut builder = MicrosoftAzureBuilder::from_env()
                    .with_container_name(bucket)
                    .with_client_options(client)
                    .with_retry(retry);
                if let Some(endpoint) = &origin.endpoint {
                    builder = builder.with_endpoint(endpoint.clone());
                }
                Arc::new(builder.build().map_err(failed)?)
            }
        };
        ObjectFolder::within(store, origin.prefix())
    }

    /// The objects of a store below a prefix.
    pub(super) fn within(store: Arc<dyn ObjectStore>, prefix: &str) -> io::Result<ObjectFolder> {
        // One thread answers all requests; those who ask wait in their own.
        let runtime = Builder::new_multi_thread()
            .worker_threads(1)
            .enable_all()
            .build()?;
        Ok(ObjectFolder {
            store,
            prefix: Path::parse(prefix).map_err(io::Error::other)?,
            runtime,
        })
    }

    /// All objects, page by page.
    pub(super) fn list(&self) -> Objects<'_> {
        Objects {
            folder: self,
            stream: self.store.list(Some(&self.prefix)),
        }
    }

    /// Opens the object at a path below the prefix; `None` if there is none.
    pub(super) fn open(&self, path: &str) -> io::Result<Option<Opened>> {
        let location = self.location(path)?;
        let get = self.store.get_opts(&location, GetOptions::default());
        match self.runtime.block_on(get) {
            Ok(result) => Ok(Some(Opened {
                meta: result.meta.clone(),
                result,
            })),
            Err(StoreError::NotFound { .. }) => Ok(None),
            Err(error) => Err(failed(error)),
        }
    }

    /// The metadata that was given to an object, and its bytes.
    pub(super) fn read(&self, opened: Opened) -> io::Result<(Vec<(String, String)>, Vec<u8>)> {
        let attributes = opened.result.attributes.iter();
        let given = attributes.filter_map(|(name, value)| match name {
            object_store::Attribute::Metadata(name) => Some((name.to_string(), value.to_string())),
            _ => None,
        });
        let given = given.collect();
        let bytes = self.runtime.block_on(opened.result.bytes());
        Ok((given, bytes.map_err(failed)?.to_vec()))
    }

    /// The path of an object below the prefix; `None` for one that is not below it.
    fn path(&self, location: &Path) -> Option<String> {
        let location = location.as_ref();
        match self.prefix.as_ref() {
            "" => Some(location.to_string()),
            prefix => {
                let below = location.strip_prefix(prefix)?.strip_prefix('/')?;
                Some(below.to_string())
            }
        }
    }

    fn location(&self, path: &str) -> io::Result<Path> {
        let whole = match self.prefix.as_ref() {
            "" => path.to_string(),
            prefix => format!("{prefix}/{path}"),
        };
        Path::parse(whole).map_err(io::Error::other)
    }
}

impl fmt::Debug for ObjectFolder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ObjectFolder({}/{})", self.store, self.prefix)
    }
}

/// The objects of a folder with their paths, in the order of the store.
pub(super) struct Objects<'a> {
    folder: &'a ObjectFolder,
    stream: BoxStream<'static, object_store::Result<ObjectMeta>>,
}

impl Iterator for Objects<'_> {
    type Item = io::Result<(String, ObjectMeta)>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            match self.folder.runtime.block_on(self.stream.next())? {
                Ok(meta) => {
                    if let Some(path) = self.folder.path(&meta.location) {
                        return Some(Ok((path, meta)));
                    }
                }
                Err(error) => return Some(Err(failed(error))),
            }
        }
    }
}

/// An error of a store, without what the crate says around it.
fn failed(error: StoreError) -> io::Error {
    io::Error::other(error)
}
