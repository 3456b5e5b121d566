//! What a push says that it has changed. The body of such a request comes from anywhere: nothing in
//! it is believed, and it only tells whether it is worthwhile to fetch.

use std::path::Path;

use excerpt_index::{GitOrigin, GitReference, Origin};
use serde::Deserialize;

use crate::error::{ServiceError, ServiceResult};

/// The longest body that is read, in bytes. GitHub sends at most 25 MB:
/// <https://docs.github.com/en/webhooks/webhook-events-and-payloads>.
pub const PUSH_LIMIT: u64 = 32 << 20;

/// The branches and tags that a push of GitHub, GitLab, Gitea, Forgejo or Bitbucket names.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PushHint {
    branches: Vec<String>,
    tags: Vec<String>,
}

/// The body of GitHub, GitLab, Gitea and Forgejo has a `ref`, and that of Bitbucket the rest.
#[derive(Deserialize)]
struct PushBody {
    r#ref: Option<String>,
    push: Option<BitbucketPush>,
}

#[derive(Deserialize)]
struct BitbucketPush {
    changes: Vec<BitbucketChange>,
}

#[derive(Deserialize)]
struct BitbucketChange {
    new: Option<BitbucketReference>,
    old: Option<BitbucketReference>,
}

#[derive(Deserialize)]
struct BitbucketReference {
    r#type: String,
    name: String,
}

impl PushHint {
    /// What the body of a push names.
    ///
    /// # Errors
    ///
    /// [`ServiceError::NotAPush`] when it is none of a known form.
    pub fn of(body: &[u8]) -> ServiceResult<PushHint> {
        let body: PushBody = serde_json::from_slice(body)
            .map_err(|error| ServiceError::NotAPush(error.to_string()))?;
        let mut hint = PushHint::default();
        match (body.r#ref, body.push) {
            (Some(name), _) => match (
                name.strip_prefix("refs/heads/"),
                name.strip_prefix("refs/tags/"),
            ) {
                (Some(branch), _) => hint.branches.push(branch.to_string()),
                (None, Some(tag)) => hint.tags.push(tag.to_string()),
                (None, None) => {}
            },
            (None, Some(push)) => {
                let changes = push.changes.into_iter();
                for reference in changes
                    .flat_map(|change| [change.new, change.old])
                    .flatten()
                {
                    match &*reference.r#type {
                        "tag" => hint.tags.push(reference.name),
                        _ => hint.branches.push(reference.name),
                    }
                }
            }
            (None, None) => {
                let reason = "it has neither `ref` nor `push`".to_string();
                return Err(ServiceError::NotAPush(reason));
            }
        }
        Ok(hint)
    }

    /// Whether the push may have changed the source with this root. What is no git repository is
    /// not told by a push, and is looked at anyway.
    #[must_use]
    pub fn concerns_root(&self, root: &Path) -> bool {
        match Origin::of(root) {
            Origin::Git(origin) => self.concerns(&origin),
            _ => true,
        }
    }

    /// Whether the push may have changed what `origin` reads. Which branch is the default one is
    /// not believed, so that every push to a branch may.
    #[must_use]
    pub fn concerns(&self, origin: &GitOrigin) -> bool {
        match &origin.reference {
            GitReference::Default => !self.branches.is_empty(),
            GitReference::Branch(name) => self.branches.contains(name),
            GitReference::Tag(name) => self.tags.contains(name),
            // It is what it is.
            GitReference::Commit(_) => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn concerns(body: &str, origin: &str) -> bool {
        let hint = PushHint::of(body.as_bytes()).unwrap();
        hint.concerns(&origin.parse().unwrap())
    }

    #[test]
    fn every_host_says_which_branch_was_pushed() {
        let github = r#"{"ref":"refs/heads/docs/a","before":"0","repository":{"full_name":"o/r"}}"#;
        let bitbucket = r#"{"push":{"changes":[
            {"old":null,"new":{"type":"branch","name":"docs/a","target":{}}},
            {"old":{"type":"tag","name":"v1"},"new":null}]}}"#;
        for body in [github, bitbucket] {
            assert!(concerns(body, "https://host/r"));
            assert!(concerns(body, "https://host/r#branch=docs/a#under=x"));
            assert!(!concerns(body, "https://host/r#branch=main"));
            assert!(!concerns(body, "https://host/r#commit=c0ffee"));
        }
        assert!(concerns(bitbucket, "https://host/r#tag=v1"));
        let tag = r#"{"object_kind":"tag_push","ref":"refs/tags/v1"}"#;
        assert!(concerns(tag, "https://host/r#tag=v1"));
        assert!(!concerns(tag, "https://host/r"));
    }

    #[test]
    fn what_is_no_push_is_an_error() {
        for body in ["", "[]", "{}", "\"x\"", r#"{"ref":3}"#, r#"{"push":{}}"#] {
            assert!(PushHint::of(body.as_bytes()).is_err(), "{body}");
        }
        let deep = "[".repeat(100_000);
        assert!(PushHint::of(deep.as_bytes()).is_err());
    }
}
