//! File names that indicate secrets. Case does not matter.

/// Names of files with keys, passwords, or who may log in where.
const NAMES: [&str; 71] = [
    ".authinfo",
    ".bash_history",
    ".boto",
    ".databrickscfg",
    ".dockercfg",
    ".dockerconfigjson",
    ".env",
    ".envrc",
    ".esmtprc",
    ".fetchmailrc",
    ".ftpconfig",
    ".git-credentials",
    ".htdigest",
    ".htpasswd",
    ".msmtprc",
    ".my.cnf",
    ".mylogin.cnf",
    ".mysql_history",
    ".netrc",
    ".node_repl_history",
    ".npmrc",
    ".pgpass",
    ".psql_history",
    ".pypirc",
    ".python_history",
    ".rediscli_history",
    ".renviron",
    ".s3cfg",
    ".secret",
    ".secrets",
    ".sh_history",
    ".smbcredentials",
    ".sqlite_history",
    ".terraformrc",
    ".vault-token",
    ".vault_pass",
    ".zsh_history",
    "_netrc",
    "accesstokens.json",
    "application_default_credentials.json",
    "auth.json",
    "authorized_keys",
    "authorized_keys2",
    "chap-secrets",
    "credentials",
    "gshadow",
    "htdigest",
    "htpasswd",
    "ipsec.secrets",
    "known_hosts",
    "kubeconfig",
    "local.settings.json",
    "logins.json",
    "ngrok.yml",
    "pap-secrets",
    "pgpass.conf",
    "rclone.conf",
    "recentservers.xml",
    "secring.gpg",
    "service-account.json",
    "service_account.json",
    "serviceaccount.json",
    "serviceaccountkey.json",
    "sftp-config.json",
    "shadow",
    "sitemanager.xml",
    "smbpasswd",
    "terraform.rc",
    "wallet.dat",
    "wp-config.php",
    "wpa_supplicant.conf",
];

/// Endings of such names.
const ENDINGS: [&str; 33] = [
    "agekey",
    "authinfo",
    "bks",
    "der",
    "env",
    "htpasswd",
    "jceks",
    "jks",
    "kdb",
    "kdbx",
    "key",
    "keychain",
    "keychain-db",
    "keystore",
    "keytab",
    "kubeconfig",
    "kwallet",
    "nmconnection",
    "ovpn",
    "p12",
    "p8",
    "pem",
    "pfx",
    "pkcs12",
    "pkcs8",
    "ppk",
    "psafe3",
    "publishsettings",
    "pvk",
    "tfstate",
    "tfvars",
    "truststore",
    "vault-token",
];

/// Paths below a user's home folder, for names that are not specific enough.
const PATHS: [&str; 12] = [
    ".aws/config",
    ".azure/azureprofile.json",
    ".config/doctl/config.yaml",
    ".config/gh/hosts.yml",
    ".config/hub",
    ".config/op/config",
    ".docker/config.json",
    ".kube/config",
    ".oci/config",
    ".snowsql/config",
    ".ssh/config",
    ".vscode/sftp.json",
];

/// Names of private keys that users extend: `id_rsa.old`, `id_ed25519_work`.
const KEYS: [&str; 6] = [
    "id_dsa",
    "id_ecdsa",
    "id_ed25519",
    "id_ed25519_sk",
    "id_rsa",
    "id_xmss",
];

/// Endings with which a file called `credentials` or `secrets` contains them; `credentials.md` and
/// `secrets.rs` are about them.
const DATA: [&str; 13] = [
    "cfg",
    "conf",
    "csv",
    "db",
    "env",
    "ini",
    "json",
    "json5",
    "properties",
    "toml",
    "xml",
    "yaml",
    "yml",
];

/// Words in the names of examples that are meant to be read, such as `.env.example`. The text
/// decides whether a file is one.
const EXAMPLES: [&str; 10] = [
    "default", "defaults", "demo", "dist", "example", "sample", "schema", "stub", "template", "tpl",
];

/// Whether the name of the file at `path`, relative to its source, indicates secrets.
pub(crate) fn named(path: &str) -> bool {
    let path = path.to_ascii_lowercase();
    let name = path.rsplit('/').next().unwrap_or(&path);
    let words = || name.split(['.', '-', '_']);
    if words().any(|word| EXAMPLES.contains(&word)) {
        return false;
    }
    let name = copied(name);
    let (stem, ending) = match name.rsplit_once('.') {
        Some((stem, ending)) if !stem.is_empty() => (stem, ending),
        _ => (name, ""),
    };
    NAMES.contains(&name)
        || ENDINGS.contains(&ending)
        || is_below(&path)
        || is_key(name)
        || name.starts_with(".env.")
        || name.contains(".tfstate.")
        || name.ends_with(".tfvars.json")
        || (DATA.contains(&ending) && is_store(stem))
        || (ending == "txt" && matches!(stem, "credentials" | "passwords"))
}

/// The name without the suffixes of backup copies.
fn copied(name: &str) -> &str {
    let copy = [".bak", ".backup", ".old", ".orig", ".save", ".swp", "~"];
    let found = copy.iter().find_map(|copy| name.strip_suffix(copy));
    found.filter(|name| !name.is_empty()).unwrap_or(name)
}

fn is_below(path: &str) -> bool {
    PATHS.iter().any(|known| {
        let rest = path.strip_suffix(known);
        rest.is_some_and(|rest| rest.is_empty() || rest.ends_with('/'))
    })
}

/// Whether it is the name of an SSH private key or of a related file.
fn is_key(name: &str) -> bool {
    KEYS.iter().any(|key| {
        let rest = name.strip_prefix(key);
        rest.is_some_and(|rest| match rest.rsplit_once('.') {
            Some((_, ending)) => matches!(ending, "pub" | "txt" | "key" | "priv" | "private"),
            None => rest.is_empty() || rest.starts_with(['_', '-']),
        })
    })
}

/// Whether a data file with this name stores secrets.
fn is_store(stem: &str) -> bool {
    let begins = [
        "application_default_credentials",
        "client_secret",
        "credentials",
        "secrets.",
        "service-account",
        "service_account",
        "vault_pass",
    ];
    let ends = [".secret", ".secrets", "-secrets", "_secrets"];
    matches!(stem, "secret" | "secrets" | "passwords")
        || begins.iter().any(|word| stem.starts_with(word))
        || ends.iter().any(|word| stem.ends_with(word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tables_are_in_order_and_in_small_letters() {
        let tables: [&[&str]; 6] = [&NAMES, &ENDINGS, &PATHS, &KEYS, &DATA, &EXAMPLES];
        for table in tables {
            assert!(table.is_sorted());
            assert!(table.iter().all(|name| *name == name.to_lowercase()));
        }
    }

    #[test]
    fn names_that_speak_of_secrets_hold_none() {
        for name in [
            ".env.example",
            ".env.local.sample",
            "auth.ts",
            "authorized_keys.go",
            "config",
            "credentials.md",
            "credentials_test.go",
            "env.rs",
            "environment.md",
            "example.tfvars",
            "htpasswd.c",
            "id_rsa.rs",
            "id_rsa_parser.py",
            "keys.rs",
            "kube/config.rs",
            "kubeconfig.go",
            "npmrc.md",
            "package.json",
            "pem.txt",
            "production.rb",
            "secrets.py",
            "secrets.rst.txt",
            "shadow.css",
            "terraform.tfvars.example",
            "tfstate.go",
            "wp-config-sample.php",
        ] {
            assert!(!named(name), "{name}");
        }
    }
}
