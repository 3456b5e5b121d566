//! A blocking interface to a folder of an object store: [`ObjectFolder`].

use std::fmt;
use std::io;
use std::net::TcpStream;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;

use futures_util::StreamExt as _;
use futures_util::stream::BoxStream;
use object_store::aws::{AmazonS3Builder, AmazonS3ConfigKey};
use object_store::azure::MicrosoftAzureBuilder;
use object_store::gcp::GoogleCloudStorageBuilder;
use object_store::path::Path;
use object_store::{
    Attribute, Attributes, BackoffConfig, ClientOptions, Error as StoreError, GetResult,
    ObjectMeta, ObjectStore, ObjectStoreExt as _, PutMode, PutOptions, PutPayload, RetryConfig,
};
use tokio::runtime::{Builder, Runtime};
use tokio::sync::{Semaphore, oneshot};

use super::answers::{CheckedConnector, UnusableKeys};
use super::failure::{NO_CREDENTIALS, failed};
use super::origin::{ObjectOrigin, ObjectService};
use super::profile::Profile;

/// How long a connection may take to open.
const CONNECT: Duration = Duration::from_secs(10);

/// How long the answer to a request may take.
const ANSWER: Duration = Duration::from_secs(60);

/// How often a request is repeated that a server refused for now or did not answer, and for how
/// long.
const RETRIES: usize = 6;
const RETRY_FOR: Duration = Duration::from_secs(60);

/// After how many objects in a row that the store did not answer for no more are asked for.
const MOST_FAILURES: usize = 32;

/// How many requests are under way at a time.
const REQUESTS: usize = 16;

/// The objects below a prefix.
pub struct ObjectFolder {
    address: String,
    store: Arc<dyn ObjectStore>,
    prefix: Path,
    /// Whether the store lists its objects in the order of their keys.
    is_ordered: bool,
    requests: Arc<Semaphore>,
    /// How many objects in a row could not be read, and why the last one.
    failures: Mutex<(usize, String)>,
    unusable: UnusableKeys,
    /// Whether the store refuses to create an object that is there.
    creates: OnceLock<bool>,
    runtime: Runtime,
}

/// An object that is written.
struct Object {
    location: Path,
    payload: PutPayload,
    attributes: Attributes,
}

/// What has become of an object that was to be written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Put {
    /// It was written, and has this stamp: see [`ObjectFolder::each_stamp`].
    Written(Option<String>),
    /// There was one already, which was left as it is.
    Exists,
}

/// An object that was read.
#[derive(Debug)]
pub(super) struct Fetched {
    pub(super) meta: ObjectMeta,
    /// The metadata that was given to it.
    pub(super) given: Vec<(String, String)>,
    /// Its bytes; `None` if there are more than was asked for.
    pub(super) bytes: Option<Vec<u8>>,
}

/// An object that is being read.
pub(super) struct Pending(oneshot::Receiver<io::Result<Option<Fetched>>>);

impl ObjectFolder {
    /// That of an origin, with the credentials that the tools of its provider would use: those of
    /// the environment, and for S3 also those of a profile. No request is made yet.
    ///
    /// # Errors
    ///
    /// When the configuration is not complete.
    pub fn open(origin: &ObjectOrigin) -> io::Result<ObjectFolder> {
        // An error says that there is one already, which is the same.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let retry = RetryConfig {
            backoff: BackoffConfig::default(),
            max_retries: RETRIES,
            retry_timeout: RETRY_FOR,
        };
        let is_open = |endpoint: &str| endpoint.starts_with("http://");
        let client = |endpoint: Option<&str>| {
            ClientOptions::new()
                .with_connect_timeout(CONNECT)
                .with_timeout(ANSWER)
                .with_allow_http(endpoint.is_some_and(is_open))
        };
        let (bucket, endpoint) = (origin.bucket(), origin.endpoint.as_deref());
        let connector = CheckedConnector::default();
        let unusable = Arc::clone(&connector.unusable);
        let store: Arc<dyn ObjectStore> = match origin.service() {
            ObjectService::S3 => {
                let mut builder = AmazonS3Builder::from_env()
                    .with_http_connector(connector)
                    .with_bucket_name(bucket)
                    .with_retry(retry)
                    .with_client_options(client(endpoint));
                if let Some(endpoint) = endpoint {
                    builder = builder
                        .with_endpoint(endpoint)
                        .with_config(AmazonS3ConfigKey::S3Endpoint, endpoint);
                }
                Arc::new(with_profile(builder)?.build().map_err(failed)?)
            }
            ObjectService::Gcs => {
                let mut builder = GoogleCloudStorageBuilder::from_env()
                    .with_http_connector(connector)
                    .with_bucket_name(bucket)
                    .with_retry(retry)
                    .with_client_options(client(endpoint));
                if let Some(endpoint) = endpoint {
                    builder = builder.with_base_url(endpoint);
                }
                Arc::new(builder.build().map_err(failed)?)
            }
            ObjectService::Azure => {
                let mut builder = MicrosoftAzureBuilder::from_env()
                    .with_http_connector(connector)
                    .with_container_name(bucket)
                    .with_retry(retry)
                    .with_client_options(client(endpoint));
                if let Some(endpoint) = endpoint {
                    builder = builder.with_endpoint(endpoint.to_string());
                }
                Arc::new(builder.build().map_err(failed)?)
            }
        };
        // Directory buckets of S3 do not: see `ListObjectsV2` in its reference.
        let is_ordered = !bucket.ends_with("--x-s3");
        Ok(ObjectFolder {
            unusable,
            ..ObjectFolder::within(store, origin, is_ordered)?
        })
    }

    /// The objects of an origin in its store. `is_ordered` says whether that lists them in the
    /// order of their keys.
    pub(super) fn within(
        store: Arc<dyn ObjectStore>,
        origin: &ObjectOrigin,
        is_ordered: bool,
    ) -> io::Result<ObjectFolder> {
        // One thread answers all requests; those who ask wait in their own.
        let runtime = Builder::new_multi_thread()
            .worker_threads(1)
            .enable_all()
            .build()?;
        Ok(ObjectFolder {
            address: origin.to_string(),
            store,
            prefix: Path::parse(origin.prefix()).map_err(io::Error::other)?,
            is_ordered,
            requests: Arc::new(Semaphore::new(REQUESTS)),
            failures: Mutex::default(),
            unusable: UnusableKeys::default(),
            creates: OnceLock::new(),
            runtime,
        })
    }

    /// All objects in the order of their paths, page by page.
    pub(super) fn list(&self) -> Objects<'_> {
        // It is asked once more at its end: see `Objects::next`.
        let mut stream = self.store.list(Some(&self.prefix)).fuse().boxed();
        if !self.is_ordered {
            let whole = async move {
                let mut all: Vec<_> = stream.collect().await;
                all.sort_by(|a, b| match (a, b) {
                    (Ok(a), Ok(b)) => a.location.as_ref().cmp(b.location.as_ref()),
                    (a, b) => a.is_ok().cmp(&b.is_ok()),
                });
                futures_util::stream::iter(all)
            };
            stream = futures_util::stream::once(whole).flatten().fuse().boxed();
        }
        // What an earlier listing that was given up has left.
        self.unusable
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clear();
        Objects {
            folder: self,
            stream,
            unusable: Vec::new().into_iter(),
        }
    }

    /// Begins to read the object at a path below the prefix, unless it has more than `most` bytes.
    ///
    /// # Errors
    ///
    /// When the path cannot be that of an object, or so many objects could not be read that the
    /// rest are given up.
    pub(super) fn begin(&self, path: &str, most: u64) -> io::Result<Pending> {
        let location = self.location(path)?;
        if let (MOST_FAILURES.., reason) = &*self.failures() {
            return Err(io::Error::other(format!(
                "not tried after {MOST_FAILURES} failures in a row: {reason}"
            )));
        }
        let (store, requests) = (Arc::clone(&self.store), Arc::clone(&self.requests));
        let (sender, receiver) = oneshot::channel();
        self.runtime.spawn(async move {
            let _permit = requests.acquire_owned().await;
            // The caller may have dropped it.
            if !sender.is_closed() {
                drop(sender.send(fetched(&*store, &location, most).await));
            }
        });
        Ok(Pending(receiver))
    }

    /// Waits for an object; `None` if there is none.
    pub(super) fn finish(&self, pending: Pending) -> io::Result<Option<Fetched>> {
        let fetched = self.runtime.block_on(pending.0);
        let fetched = fetched.map_err(|_| io::Error::other("the request was given up"))?;
        let mut failures = self.failures();
        match &fetched {
            Err(error) if error.kind() == io::ErrorKind::Other => {
                *failures = (failures.0 + 1, error.to_string());
            }
            // Also what is refused was answered.
            _ => *failures = (0, String::new()),
        }
        fetched
    }

    fn failures(&self) -> MutexGuard<'_, (usize, String)> {
        self.failures.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Calls `part` with the bytes of the object at a path below the prefix, as they arrive.
    /// Returns whether there is an object.
    ///
    /// # Errors
    ///
    /// When the store cannot be reached or refuses it, and of the kind
    /// [`FileTooLarge`](io::ErrorKind::FileTooLarge) when it has more than `most` bytes.
    pub(crate) fn each_part(
        &self,
        path: &str,
        most: u64,
        part: &mut dyn FnMut(&[u8]),
    ) -> io::Result<bool> {
        let location = self.location(path)?;
        let read = async {
            let Some(found) = found(&*self.store, &location).await? else {
                return Ok(false);
            };
            if found.meta.size > most {
                return Err(io::ErrorKind::FileTooLarge.into());
            }
            let mut parts = found.into_stream();
            while let Some(bytes) = parts.next().await {
                part(&bytes.map_err(failed)?);
            }
            Ok(true)
        };
        self.runtime.block_on(read)
    }

    /// Writes an object with its metadata, whole or not at all. Unless it `replaces` what is there,
    /// it is only written if there is nothing.
    ///
    /// # Errors
    ///
    /// When the store cannot be reached or refuses it.
    pub(crate) fn put(
        &self,
        path: &str,
        bytes: Vec<u8>,
        metadata: &[(&'static str, String)],
        replaces: bool,
    ) -> io::Result<Put> {
        let location = self.location(path)?;
        let attributes = metadata
            .iter()
            .map(|(name, value)| (Attribute::Metadata((*name).into()), value.clone()));
        let object = Object {
            location,
            payload: bytes.into(),
            attributes: attributes.collect(),
        };
        let put = async {
            match replaces {
                true => self.write(&object, PutMode::Overwrite).await,
                false => self.create_in_turn(&object).await,
            }
        };
        self.runtime.block_on(put).map_err(failed)
    }

    /// Writes an object unless there is one. The library does not repeat such a request, since an
    /// attempt may have succeeded unnoticed.
    async fn create_in_turn(&self, object: &Object) -> object_store::Result<Put> {
        let mut created = self.create(object).await;
        for wait in [1, 4] {
            if !matches!(created, Err(StoreError::Generic { .. })) {
                return created;
            }
            tokio::time::sleep(Duration::from_secs(wait)).await;
            created = self.create(object).await;
            if matches!(created, Ok(Put::Exists)) {
                return Ok(match self.is_there(object).await? {
                    true => Put::Written(None),
                    false => Put::Exists,
                });
            }
        }
        created
    }

    /// Whether the store has the bytes of an object at its place.
    async fn is_there(&self, object: &Object) -> object_store::Result<bool> {
        let there = self.store.get(&object.location).await?;
        if there.meta.size != object.payload.content_length() as u64 {
            return Ok(false);
        }
        let own = object.payload.iter().flatten();
        Ok(there.bytes().await?.iter().eq(own))
    }

    /// Writes an object unless there is one. Not every store knows how to do both at once, and some
    /// that do not say so replace what is there: so the first object is written twice.
    async fn create(&self, object: &Object) -> object_store::Result<Put> {
        if self.creates.get() == Some(&true) {
            return self.write(object, PutMode::Create).await;
        }
        if self.exists(object).await? {
            return Ok(Put::Exists);
        }
        if self.creates.get().is_none() {
            match self.write(object, PutMode::Create).await {
                Ok(Put::Written(stamp)) => {
                    let again = self.write(object, PutMode::Create).await?;
                    let _ = self.creates.set(again == Put::Exists);
                    return Ok(match again {
                        Put::Exists => Put::Written(stamp),
                        created => created,
                    });
                }
                Ok(Put::Exists) => return Ok(Put::Exists),
                Err(StoreError::NotImplemented { .. }) => {
                    let _ = self.creates.set(false);
                }
                // `501 Not Implemented`, in the words of the library.
                Err(error) if error.to_string().contains("status code: 501") => {
                    let _ = self.creates.set(false);
                }
                Err(error) => return Err(error),
            }
        }
        self.write(object, PutMode::Overwrite).await
    }

    async fn exists(&self, object: &Object) -> object_store::Result<bool> {
        match self.store.head(&object.location).await {
            Ok(_) => Ok(true),
            Err(StoreError::NotFound { .. }) => Ok(false),
            Err(error) => Err(error),
        }
    }

    async fn write(&self, object: &Object, mode: PutMode) -> object_store::Result<Put> {
        let options = PutOptions {
            attributes: object.attributes.clone(),
            mode,
            ..PutOptions::default()
        };
        let put = self
            .store
            .put_opts(&object.location, object.payload.clone(), options);
        match put.await {
            Ok(put) => {
                let size = object.payload.content_length() as u64;
                Ok(Put::Written(stamp(put.e_tag.as_deref(), size)))
            }
            Err(StoreError::AlreadyExists { .. }) => Ok(Put::Exists),
            Err(error) => Err(error),
        }
    }

    /// Calls `found` with the path and the stamp of each object: as long as that is the same, so
    /// are its bytes. A store that has no ETags gives none.
    ///
    /// # Errors
    ///
    /// When the store cannot be reached, or its listing is not complete.
    pub(crate) fn each_stamp(&self, mut found: impl FnMut(&str, Option<String>)) -> io::Result<()> {
        for listed in self.list() {
            if let Listed::Object(path, meta) = listed? {
                found(&path, stamp(meta.e_tag.as_deref(), meta.size));
            }
        }
        Ok(())
    }

    /// Removes an object, if there is one.
    ///
    /// # Errors
    ///
    /// When the store cannot be reached or refuses it.
    pub(crate) fn delete(&self, path: &str) -> io::Result<()> {
        let location = self.location(path)?;
        match self.runtime.block_on(self.store.delete(&location)) {
            Ok(()) | Err(StoreError::NotFound { .. }) => Ok(()),
            Err(error) => Err(failed(error)),
        }
    }

    /// Its address.
    #[must_use]
    pub fn address(&self) -> &str {
        &self.address
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
        Path::parse(whole).map_err(|_| {
            let reason = "no object can have a key with such a part or a control character";
            io::Error::new(io::ErrorKind::InvalidInput, reason)
        })
    }
}

impl fmt::Debug for ObjectFolder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ObjectFolder({}/{})", self.store, self.prefix)
    }
}

/// The stamp of an object. The time of its last change tells too little: it is in whole seconds.
fn stamp(tag: Option<&str>, size: u64) -> Option<String> {
    tag.map(|tag| format!("{size} {}", plain_tag(tag)))
}

/// An ETag without what it is wrapped in: Azure lists it without quotes, and sends it with them.
pub(super) fn plain_tag(tag: &str) -> &str {
    tag.trim_start_matches("W/").trim_matches('"')
}

/// The settings of a profile, where the environment says nothing.
fn with_profile(mut builder: AmazonS3Builder) -> io::Result<AmazonS3Builder> {
    use AmazonS3ConfigKey as Key;
    let has = |builder: &AmazonS3Builder, key: Key| builder.get_config_value(&key).is_some();
    let mut has_own = has(&builder, Key::AccessKeyId) || has(&builder, Key::WebIdentityTokenFile);
    if let Some(profile) = Profile::chosen()? {
        let region = profile
            .get("region")
            .filter(|_| !has(&builder, Key::Region));
        if let Some(region) = region {
            builder = builder.with_region(region);
        }
        let has_endpoint = has(&builder, Key::Endpoint) || has(&builder, Key::S3Endpoint);
        let endpoint = profile.get("endpoint_url").filter(|_| !has_endpoint);
        if let Some(endpoint) = endpoint {
            builder = builder.with_endpoint(endpoint);
        }
        // As with its own tools, a profile that was named comes before what else there is.
        let is_named = std::env::var_os("AWS_PROFILE").is_some_and(|name| !name.is_empty());
        if (is_named || !has_own)
            && let Some(credentials) = profile.credentials()
        {
            builder = builder.with_credentials(Arc::new(credentials));
            has_own = true;
        }
    }
    let has_some = has_own
        || has(&builder, Key::SkipSignature)
        || has(&builder, Key::ContainerCredentialsRelativeUri)
        || has(&builder, Key::ContainerCredentialsFullUri)
        || has(&builder, Key::MetadataEndpoint);
    if !has_some && !is_machine_of_provider() {
        return Err(io::Error::other(NO_CREDENTIALS));
    }
    // An endpoint of the environment or a profile is chosen by the user, like one in an address.
    let endpoint = [Key::S3Endpoint, Key::Endpoint]
        .iter()
        .find_map(|key| builder.get_config_value(key));
    Ok(builder.with_allow_http(endpoint.is_some_and(|endpoint| endpoint.starts_with("http://"))))
}

/// Whether this machine is in the network of the provider, which then tells it its credentials. The
/// library would wait a minute for a host that does not answer.
fn is_machine_of_provider() -> bool {
    const ADDRESS: ([u8; 4], u16) = ([169, 254, 169, 254], 80);
    const PATIENCE: Duration = Duration::from_secs(1);
    TcpStream::connect_timeout(&ADDRESS.into(), PATIENCE).is_ok()
}

/// The answer with an object, whose bytes are not read yet; `None` if there is none.
async fn found(store: &dyn ObjectStore, location: &Path) -> io::Result<Option<GetResult>> {
    match store.get(location).await {
        Ok(result) => Ok(Some(result)),
        // Without the bucket, nobody knows whether there is such an object.
        Err(StoreError::NotFound { source, .. })
            if !source.to_string().contains("NoSuchBucket") =>
        {
            Ok(None)
        }
        Err(error) => Err(failed(error)),
    }
}

async fn fetched(
    store: &dyn ObjectStore,
    location: &Path,
    most: u64,
) -> io::Result<Option<Fetched>> {
    let Some(result) = found(store, location).await? else {
        return Ok(None);
    };
    let given = result.attributes.iter().filter_map(|(name, value)| {
        let Attribute::Metadata(name) = name else {
            return None;
        };
        Some((name.to_string(), value.to_string()))
    });
    let (given, meta) = (given.collect(), result.meta.clone());
    let bytes = match meta.size > most {
        true => None,
        false => Some(result.bytes().await.map_err(failed)?.to_vec()),
    };
    Ok(Some(Fetched { meta, given, bytes }))
}

/// A part of a listing.
pub(super) enum Listed {
    Object(String, ObjectMeta),
    /// An object with this key, of which nothing can be asked for.
    Unusable(String),
}

/// The objects of a folder with their paths.
pub(super) struct Objects<'a> {
    folder: &'a ObjectFolder,
    stream: BoxStream<'static, object_store::Result<ObjectMeta>>,
    unusable: std::vec::IntoIter<String>,
}

impl Objects<'_> {
    /// The next key that cannot be used, of those in the pages that were read.
    fn next_unusable(&mut self) -> Option<String> {
        if self.unusable.len() == 0 {
            let mut unusable = self
                .folder
                .unusable
                .lock()
                .unwrap_or_else(PoisonError::into_inner);
            self.unusable = std::mem::take(&mut *unusable).into_iter();
        }
        let key = self.unusable.next()?;
        let below = key
            .strip_prefix(self.folder.prefix.as_ref())
            .unwrap_or(&key);
        Some(match self.folder.prefix.as_ref() {
            "" => key,
            _ => below.strip_prefix('/').unwrap_or(below).to_string(),
        })
    }
}

impl Iterator for Objects<'_> {
    type Item = io::Result<Listed>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            if let Some(key) = self.next_unusable() {
                return Some(Ok(Listed::Unusable(key)));
            }
            match self.folder.runtime.block_on(self.stream.next()) {
                Some(Ok(meta)) => {
                    if let Some(path) = self.folder.path(&meta.location) {
                        return Some(Ok(Listed::Object(path, meta)));
                    }
                }
                Some(Err(error)) => return Some(Err(failed(error))),
                // The last page may have had nothing else.
                None => return self.next_unusable().map(|key| Ok(Listed::Unusable(key))),
            }
        }
    }
}
