//! Where a git repository is cloned from: [`GitRemote`].

use std::fmt;
use std::path::Path;

use excerpt_chunk::Hash;
use percent_encoding::{AsciiSet, CONTROLS, utf8_percent_encode};

/// The transports that git may use. Others run a command that the address names.
const SCHEMES: [&str; 5] = ["https", "http", "ssh", "git", "file"];

/// What is escaped in the path of a link to a web page.
const ESCAPED: &AsciiSet = &CONTROLS
    .add(b' ')
    .add(b'"')
    .add(b'#')
    .add(b'%')
    .add(b'<')
    .add(b'>')
    .add(b'?')
    .add(b'`')
    .add(b'{')
    .add(b'}');

/// The address of a git repository: `https://host/owner/repo.git`, `user@host:owner/repo.git`,
/// `ssh://`, `git://` or `file://`, or the absolute path of a repository on this disk.
///
/// ```
/// use excerpt_index::GitRemote;
///
/// let remote = GitRemote::parse("git@github.com:owner/repo.git").unwrap();
/// assert_eq!(remote.to_string(), "git@github.com:owner/repo.git");
/// assert_eq!(
///     remote.permalink("1f2e3d", "docs/a.md", (10, 20)).unwrap(),
///     "https://github.com/owner/repo/blob/1f2e3d/docs/a.md#L10-L20"
/// );
/// assert!(GitRemote::parse("ext::sh -c whoami").is_err());
/// ```
#[derive(Clone, PartialEq, Eq)]
pub struct GitRemote {
    address: String,
}

/// Why an address cannot be that of a git repository.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum GitAddressError {
    /// It starts with `-`, or its host does: git or ssh would read it as an option.
    #[error("an address cannot start with `-`, and neither can its host")]
    Option,
    /// It names a program that git would run.
    #[error("git would run a program for this kind of address")]
    Program,
    /// It has a space or a control character.
    #[error("an address cannot contain spaces or control characters")]
    Character,
    /// What follows a `#` names no part of a repository.
    #[error("what follows `#` in an address names no part of a repository")]
    Fragment,
    /// It is none of the known kinds.
    #[error(
        "expected an address such as `https://host/owner/repo.git` or `user@host:owner/repo.git`, or an absolute path"
    )]
    Unknown,
}

/// What of a repository is read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum GitReference {
    /// The default branch.
    #[default]
    Default,
    /// A branch.
    Branch(String),
    /// A tag.
    Tag(String),
    /// A commit, by its complete id.
    Commit(String),
}

impl GitReference {
    /// The name in the repository that it is fetched from.
    pub(super) fn there(&self) -> String {
        match self {
            GitReference::Default => "HEAD".to_string(),
            GitReference::Branch(name) => format!("refs/heads/{name}"),
            GitReference::Tag(name) => format!("refs/tags/{name}"),
            GitReference::Commit(id) => id.clone(),
        }
    }

    /// The name in our clone.
    pub(super) fn here(&self) -> String {
        match self {
            GitReference::Default => "refs/excerpt/default".to_string(),
            // Of two branches, one may have the name of a folder of the other.
            GitReference::Branch(name) => {
                format!("refs/excerpt/branches/{}", Hash::of(name.as_bytes()))
            }
            GitReference::Tag(name) => {
                format!("refs/excerpt/tags/{}", Hash::of(name.as_bytes()))
            }
            GitReference::Commit(id) => format!("refs/excerpt/commits/{id}"),
        }
    }
}

impl GitRemote {
    /// The repository at `address`.
    ///
    /// # Errors
    ///
    /// When git would not read it as an address of a repository.
    pub fn parse(address: &str) -> Result<GitRemote, GitAddressError> {
        let is_odd = |c: char| c.is_control() || c == ' ';
        if address.starts_with('-') {
            return Err(GitAddressError::Option);
        }
        if address.contains('#') {
            return Err(GitAddressError::Fragment);
        }
        if names_program(address) {
            return Err(GitAddressError::Program);
        }
        // A path on this disk may have any name.
        if !Path::new(address).is_absolute() {
            if address.contains(is_odd) {
                return Err(GitAddressError::Character);
            }
            let host = match parts(address).ok_or(GitAddressError::Unknown)? {
                Parts { scheme: "file", .. } => "",
                parts => parts.host,
            };
            if host.starts_with('-') {
                return Err(GitAddressError::Option);
            }
        }
        Ok(GitRemote {
            address: address.to_string(),
        })
    }

    /// The address, with the password if it has one.
    pub(super) fn address(&self) -> &str {
        &self.address
    }

    /// The repository in a folder of this disk, by its absolute path.
    ///
    /// # Errors
    ///
    /// When the path is not UTF-8.
    pub fn of_folder(folder: &Path) -> Result<GitRemote, GitAddressError> {
        let folder = folder.to_str().ok_or(GitAddressError::Character)?;
        let escaped = utf8_percent_encode(folder, ESCAPED);
        GitRemote::parse(&format!("file://{escaped}"))
    }

    /// Whether the address contains a password, or a user name for `https`, which may be a token.
    #[must_use]
    pub fn has_password(&self) -> bool {
        self.to_string() != self.address
    }

    /// The last part of its path, without `.git`.
    #[must_use]
    pub fn name(&self) -> &str {
        let path = self.address.trim_end_matches('/');
        let name = path.rsplit(['/', ':']).next().unwrap_or_default();
        name.strip_suffix(".git").unwrap_or(name)
    }

    /// The address of a web page that shows lines of a file in a commit; `None` where the host of
    /// the repository is not known to have such pages.
    #[must_use]
    pub fn permalink(&self, commit: &str, path: &str, lines: (usize, usize)) -> Option<String> {
        let Parts { host, path: at, .. } = parts(&self.address)?;
        let repository = at.trim_matches('/');
        let repository = repository.strip_suffix(".git").unwrap_or(repository);
        let path = utf8_percent_encode(path, ESCAPED);
        let (first, last) = lines;
        let page = |middle: &str, lines: String| {
            format!("https://{host}/{repository}{middle}/{commit}/{path}#{lines}")
        };
        Some(match host {
            "github.com" => page("/blob", format!("L{first}-L{last}")),
            "gitlab.com" => page("/-/blob", format!("L{first}-{last}")),
            "codeberg.org" | "gitea.com" => page("/src/commit", format!("L{first}-L{last}")),
            "bitbucket.org" => page("/src", format!("lines-{first}:{last}")),
            _ => return None,
        })
    }
}

/// The address without a password.
impl fmt::Display for GitRemote {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let shown = self.address.split_once("://").and_then(|(scheme, rest)| {
            let is_web = matches!(scheme, "http" | "https");
            let (authority, path) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
            let Some((user, host)) = authority.rsplit_once('@') else {
                // Of a password with a `/`, the end is taken for a path.
                let port = authority.rsplit_once(':').map_or("", |(_, port)| port);
                let is_port = port
                    .bytes()
                    .all(|byte| byte.is_ascii_digit() || byte == b']');
                let is_cut = is_web && rest.contains('@') && !is_port;
                return is_cut.then(|| format!("{scheme}://…"));
            };
            match (is_web, user.split_once(':')) {
                (true, _) => Some(format!("{scheme}://{host}{path}")),
                (false, Some((name, _))) => Some(format!("{scheme}://{name}@{host}{path}")),
                (false, None) => None,
            }
        });
        f.write_str(shown.as_deref().unwrap_or(&self.address))
    }
}

/// As it is displayed: a password is in no log.
impl fmt::Debug for GitRemote {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "GitRemote({self})")
    }
}

/// Whether git would run a program for an address: `name::rest`.
fn names_program(address: &str) -> bool {
    let Some((name, _)) = address.split_once("::") else {
        return false;
    };
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "+.-".contains(c);
    name.starts_with(|c: char| c.is_ascii_alphanumeric()) && name.chars().all(is_plain)
}

/// The parts of an address that is no path.
struct Parts<'a> {
    scheme: &'a str,
    /// Without the user and the port.
    host: &'a str,
    path: &'a str,
}

fn parts(address: &str) -> Option<Parts<'_>> {
    let without_user = |host: &'_ str| host.rfind('@').map_or(0, |at| at + 1);
    if let Some((scheme, rest)) = address.split_once("://") {
        let scheme = SCHEMES.into_iter().find(|known| *known == scheme)?;
        let (authority, path) = rest.split_at(rest.find('/')?);
        let host = &authority[without_user(authority)..];
        let port = host.rfind(':').filter(|at| !host[*at..].contains(']'));
        return Some(Parts {
            scheme,
            host: &host[..port.unwrap_or(host.len())],
            path,
        });
    }
    // `user@host:path`, which git reads so if there is no `/` before the `:`.
    let (host, path) = address.split_once(':')?;
    let host = &host[without_user(host)..];
    (!host.is_empty() && !host.contains('/') && !path.is_empty()).then_some(Parts {
        scheme: "ssh",
        host,
        path,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_of_repositories_are_known() {
        for address in [
            "https://example.org/owner/repo.git",
            "http://user:word@example.org:8080/repo",
            "ssh://git@example.org:22/repo",
            "git://[::1]:9418/repo",
            "ssh://git@[::1]/o/r",
            "git@[::1]:o/r",
            "git@example.org:owner/repo.git",
            "example.org:repo",
            "file:///srv/repo.git",
            "/srv/with space/repo.git",
        ] {
            assert!(GitRemote::parse(address).is_ok(), "{address}");
        }
    }

    #[test]
    fn what_would_run_or_configure_something_is_refused() {
        use GitAddressError::{Character, Option, Program, Unknown};
        for (address, error) in [
            ("-u", Option),
            ("--upload-pack=touch x", Option),
            ("ssh://-oProxyCommand=x/repo", Option),
            ("ssh://user@-oProxyCommand=x/repo", Option),
            ("-oProxyCommand=x:repo", Option),
            ("user@-oProxyCommand=x:repo", Option),
            ("ext::sh -c true", Program),
            ("fd::17/repo", Program),
            ("https::x", Program),
            ("https://example.org/a b", Character),
            ("https://example.org/a\nb", Character),
            ("ftp://example.org/repo", Unknown),
            ("HTTPS://example.org/repo", Unknown),
            ("https://example.org", Unknown),
            ("docs/guide", Unknown),
            ("docs/a:b", Unknown),
            ("a:", Unknown),
            ("", Unknown),
        ] {
            assert_eq!(GitRemote::parse(address), Err(error), "{address}");
        }
    }

    #[test]
    fn a_password_is_not_shown() {
        let remote = GitRemote::parse("https://me:word@example.org/a@b:c/repo.git").unwrap();
        assert_eq!(remote.to_string(), "https://example.org/a@b:c/repo.git");
        assert!(!format!("{remote:?}").contains("word"));
        assert!(remote.has_password());
        for address in ["https://token@host/r", "https://me:pa/ss@host/r"] {
            let remote = GitRemote::parse(address).unwrap();
            assert!(remote.has_password());
            let shown = remote.to_string();
            assert!(
                !shown.contains("token") && !shown.contains("ss@"),
                "{shown}"
            );
        }
        for address in ["git@host:o/r", "ssh://git@host/r", "https://host:8080/a@b"] {
            let remote = GitRemote::parse(address).unwrap();
            assert!(!remote.has_password() && remote.to_string() == address);
        }
        assert!(remote.address().contains("word"));
    }

    #[test]
    fn lines_have_a_page_on_known_hosts() {
        let link = |address| {
            let remote = GitRemote::parse(address).unwrap();
            remote.permalink("c0ffee", "a b/ü#.md", (3, 7))
        };
        for (address, expected) in [
            (
                "https://me:word@github.com/o/r.git",
                "https://github.com/o/r/blob/c0ffee/a%20b/%C3%BC%23.md#L3-L7",
            ),
            (
                "git@gitlab.com:group/sub/r.git",
                "https://gitlab.com/group/sub/r/-/blob/c0ffee/a%20b/%C3%BC%23.md#L3-7",
            ),
            (
                "ssh://git@codeberg.org/o/r/",
                "https://codeberg.org/o/r/src/commit/c0ffee/a%20b/%C3%BC%23.md#L3-L7",
            ),
            (
                "https://bitbucket.org/o/r",
                "https://bitbucket.org/o/r/src/c0ffee/a%20b/%C3%BC%23.md#lines-3:7",
            ),
        ] {
            assert_eq!(link(address).as_deref(), Some(expected));
        }
        assert_eq!(link("https://example.org/o/r"), None);
        assert_eq!(link("/srv/github.com/r"), None);
    }
}
