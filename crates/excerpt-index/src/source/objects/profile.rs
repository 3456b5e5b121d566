//! The profiles of the AWS command line: which region, endpoint and credentials a user has chosen
//! in `~/.aws`.

use std::collections::HashMap;
use std::env;
use std::fmt;
use std::fs;
use std::io;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::{Arc, Mutex, PoisonError};

use async_trait::async_trait;
use chrono::{DateTime, TimeDelta, Utc};
use configparser::ini::Ini;
use object_store::aws::AwsCredential;
use object_store::{CredentialProvider, Error as StoreError, Result as StoreResult};
use serde::Deserialize;

/// How long before they expire credentials are asked for again.
const EARLY: TimeDelta = TimeDelta::minutes(5);

/// What a profile says, by
/// <https://docs.aws.amazon.com/cli/latest/userguide/cli-configure-files.html>.
pub(super) struct Profile {
    name: String,
    values: HashMap<String, String>,
}

impl Profile {
    /// The profile that `AWS_PROFILE` names, or else `default`; `None` if there is no such profile
    /// and none was named.
    ///
    /// # Errors
    ///
    /// When a file cannot be read, or the profile that was named is in none.
    pub(super) fn chosen() -> io::Result<Option<Profile>> {
        let named = env::var("AWS_PROFILE").ok().filter(|name| !name.is_empty());
        let home = env::home_dir().unwrap_or_default();
        let file = |variable: &str, name: &str| {
            let chosen = env::var_os(variable).map(PathBuf::from);
            chosen.unwrap_or_else(|| home.join(".aws").join(name))
        };
        let config = sections(&file("AWS_CONFIG_FILE", "config"))?;
        let credentials = sections(&file("AWS_SHARED_CREDENTIALS_FILE", "credentials"))?;
        let name = named.clone().unwrap_or_else(|| "default".to_string());
        let of_config = config
            .get(&format!("profile {name}"))
            .or_else(|| config.get(&name));
        let found: Vec<_> = of_config
            .into_iter()
            .chain(credentials.get(&name))
            .collect();
        if found.is_empty() {
            return match named {
                Some(name) => Err(io::Error::other(format!(
                    "`AWS_PROFILE` is `{name}`, but there is no such profile in `~/.aws`"
                ))),
                None => Ok(None),
            };
        }
        let values = found.into_iter().flatten();
        let values = values.filter_map(|(key, value)| Some((key.clone(), value.clone()?)));
        Ok(Some(Profile {
            values: values.collect(),
            name,
        }))
    }

    /// The endpoint that the chosen profile names, if its files can be read.
    pub(super) fn endpoint() -> Option<String> {
        let chosen = Profile::chosen().ok().flatten()?;
        chosen.get("endpoint_url").map(str::to_string)
    }

    /// A setting, if it has that.
    pub(super) fn get(&self, key: &str) -> Option<&str> {
        self.values.get(key).map(String::as_str)
    }

    /// The credentials that it names; `None` if it names none.
    pub(super) fn credentials(self) -> Option<ProfileCredentials> {
        let fixed = self
            .get("aws_access_key_id")
            .zip(self.get("aws_secret_access_key"));
        let fixed = fixed.map(|(key, secret)| AwsCredential {
            key_id: key.to_string(),
            secret_key: secret.to_string(),
            token: self.get("aws_session_token").map(str::to_string),
        });
        let others = [
            "credential_process",
            "role_arn",
            "sso_session",
            "sso_start_url",
            "login_session",
        ];
        if fixed.is_none() && !others.iter().any(|key| self.values.contains_key(*key)) {
            return None;
        }
        Some(ProfileCredentials {
            known: Mutex::new(fixed.map(|credential| (Arc::new(credential), None))),
            profile: self.name,
        })
    }
}

/// Credentials, and when they expire.
type Known = (Arc<AwsCredential>, Option<DateTime<Utc>>);

/// The credentials of a profile. Those that are not written in it are asked for with
/// `aws configure export-credentials`, which knows all the ways to get some.
#[derive(Debug)]
pub(super) struct ProfileCredentials {
    profile: String,
    known: Mutex<Option<Known>>,
}

/// What `aws configure export-credentials` prints.
#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Exported {
    access_key_id: String,
    secret_access_key: String,
    session_token: Option<String>,
    expiration: Option<DateTime<Utc>>,
}

impl ProfileCredentials {
    fn exported(&self) -> io::Result<Exported> {
        let output = Command::new("aws")
            .args(["configure", "export-credentials", "--format", "process"])
            .args(["--profile", &self.profile])
            .stdin(Stdio::null())
            .output();
        let profile = &self.profile;
        let output = output.map_err(|error| {
            io::Error::other(format!(
                "the program `aws`, which knows the credentials of the profile `{profile}`, cannot be run: {error}"
            ))
        })?;
        if !output.status.success() {
            let said = String::from_utf8_lossy(&output.stderr);
            let said = said
                .trim()
                .lines()
                .next_back()
                .unwrap_or_default()
                .to_string();
            return Err(io::Error::other(format!(
                "`aws configure export-credentials` failed for the profile `{profile}`: {said}"
            )));
        }
        serde_json::from_slice(&output.stdout).map_err(|_| {
            io::Error::other(format!(
                "`aws configure export-credentials` printed no credentials for the profile `{profile}`"
            ))
        })
    }

    fn current(&self) -> io::Result<Arc<AwsCredential>> {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let is_valid =
            |until: &Option<DateTime<Utc>>| until.is_none_or(|at| Utc::now() + EARLY < at);
        if let Some((credential, until)) = &*known
            && is_valid(until)
        {
            return Ok(Arc::clone(credential));
        }
        let exported = self.exported()?;
        let credential = Arc::new(AwsCredential {
            key_id: exported.access_key_id,
            secret_key: exported.secret_access_key,
            token: exported.session_token,
        });
        *known = Some((Arc::clone(&credential), exported.expiration));
        Ok(credential)
    }
}

#[async_trait]
impl CredentialProvider for ProfileCredentials {
    type Credential = AwsCredential;

    async fn get_credential(&self) -> StoreResult<Arc<AwsCredential>> {
        // The thread of the runtime has nothing else to do without credentials.
        self.current().map_err(|error| StoreError::Generic {
            store: "S3",
            source: Box::new(error),
        })
    }
}

type Sections = HashMap<String, HashMap<String, Option<String>>>;

/// The sections of a file; none if it does not exist.
fn sections(path: &std::path::Path) -> io::Result<Sections> {
    let invalid = |reason: &dyn fmt::Display| {
        io::Error::other(format!("cannot read `{}`: {reason}", path.display()))
    };
    let text = match fs::read_to_string(path) {
        Ok(text) => text,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Sections::new()),
        Err(error) => return Err(invalid(&error)),
    };
    let sections = Ini::new_cs().read(text);
    sections.map_err(|reason| invalid(&reason))
}
