//! Files that contain keys or passwords are not indexed, and all others are.
//!
//! Every secret here is generated when the test runs, from fragments and random numbers: none has
//! ever been in use.

use std::fs;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use excerpt_index::{Error, Secret, Secrets, Selection, SkipReason, Target};

use crate::fixture::{World, paths};

/// Random numbers from a seed.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005);
        self.0 = self.0.wrapping_add(1_442_695_040_888_963_407);
        self.0 >> 33
    }

    /// A text of `count` random characters of an alphabet.
    fn of(&mut self, alphabet: &str, count: usize) -> String {
        let letters: Vec<char> = alphabet.chars().collect();
        let most = letters.len() as u64;
        let indexes = (0..count).map(|_| usize::try_from(self.next() % most).unwrap());
        indexes.map(|index| letters[index]).collect()
    }

    fn bytes(&mut self, count: usize) -> Vec<u8> {
        (0..count).map(|_| (self.next() & 0xff) as u8).collect()
    }
}

const HEX: &str = "0123456789abcdef";
const DIGITS: &str = "0123456789";
const CAPITALS: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
const ALNUM: &str = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const BECH32: &str = "023456789ACDEFGHJKLMNPQRSTUVWXYZ";

/// Base64 in lines of 64 characters.
fn wrapped(bytes: &[u8]) -> String {
    let text = STANDARD.encode(bytes);
    let lines = text.as_bytes().chunks(64);
    let lines = lines.map(|line| String::from_utf8(line.to_vec()).unwrap() + "\n");
    lines.collect()
}

/// A DER value with the structure of a private key.
fn der(random: &mut Random, length: u16) -> Vec<u8> {
    let mut bytes = vec![0x30, 0x82];
    bytes.extend(length.to_be_bytes());
    bytes.extend(random.bytes(length.into()));
    bytes
}

fn armoured(kind: &str, body: &str) -> String {
    let (begin, end, key) = ("-----BEGIN ", "-----END ", "PRIVATE KEY");
    format!("{begin}{kind}{key}-----\n{body}{end}{kind}{key}-----\n")
}

/// Texts with a secret, each with the name of its kind.
fn texts() -> Vec<(&'static str, String)> {
    let r = &mut Random(7);
    let rsa = armoured("RSA ", &wrapped(&der(r, 1190)));
    let pkcs8 = armoured("", &wrapped(&der(r, 130)));
    let encrypted = format!(
        "Proc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,{}\n\n{}",
        r.of("0123456789ABCDEF", 32),
        wrapped(&r.bytes(608))
    );
    let openssh = [&b"openssh-key-v1\0"[..], &r.bytes(300)].concat();
    let pgp = [&[0x95, 0x01, 0xd8][..], &r.bytes(500)].concat();
    let (begin, end, block) = ("-----BEGIN ", "-----END ", "PGP PRIVATE KEY BLOCK-----");
    let static_key: String = (0..16).map(|_| r.of(HEX, 32) + "\n").collect();
    let account =
        serde_json::json!({"type": "service_account", "project_id": "tea", "private_key": pkcs8});
    let url = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    let base = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let part = |text: &str| STANDARD.encode(text).trim_end_matches('=').to_string();
    let web = format!(
        "{}.{}.{}",
        part(r#"{"alg":"HS256","typ":"JWT"}"#),
        part(r#"{"iss":"tea.example","sub":"u-83","exp":1893456000}"#),
        r.of(url, 43)
    );
    let login = STANDARD.encode(format!("me:{}", r.of(ALNUM, 16)));
    let aws = r.of(base, 40);
    let quoted: String = rsa
        .lines()
        .map(|line| format!("    \"{line}\\n\"\n"))
        .collect();
    let joined: String = rsa.lines().map(|line| format!("  '{line}' +\n")).collect();
    let commented: String = rsa.lines().map(|line| format!("# {line}\n")).collect();
    vec![
        ("private key", rsa.clone()),
        ("private key", pkcs8.clone()),
        ("private key", armoured("EC ", &wrapped(&der(r, 118)))),
        (
            "private key",
            armoured("ENCRYPTED ", &wrapped(&der(r, 1300))),
        ),
        ("private key", armoured("RSA ", &encrypted)),
        ("private key", armoured("OPENSSH ", &wrapped(&openssh))),
        (
            "private key",
            format!(
                "{begin}{block}\nVersion: 1\n\n{}=Ab3d\n{end}{block}\n",
                wrapped(&pgp)
            ),
        ),
        ("private key", rsa.replace('\n', "\r\n")),
        (
            "private key",
            format!(
                "tls:\n  key: |\n{}",
                rsa.lines()
                    .map(|line| format!("    {line}\n"))
                    .collect::<String>()
            ),
        ),
        (
            "private key",
            format!("fn key() -> &'static str {{\n{quoted}}}\n"),
        ),
        ("private key", format!("const key =\n{joined}  '';\n")),
        ("private key", commented),
        ("private key", account.to_string()),
        (
            "private key",
            format!("client-key-data: {}\n", STANDARD.encode(&rsa)),
        ),
        (
            "PuTTY private key",
            format!(
                "PuTTY-User-Key-{}-3: ssh-ed25519\nEncryption: none\nComment: me\nPublic-Lines: 1\n{}\nPrivate-Lines: 1\n{}\n",
                "File",
                r.of(base, 64),
                r.of(base, 48)
            ),
        ),
        (
            "OpenVPN static key",
            format!(
                "{begin}OpenVPN Static key V1-----\n{static_key}{end}OpenVPN Static key V1-----\n"
            ),
        ),
        (
            "age secret key",
            format!(
                "# created: today\nAGE-SECRET-{}-1{}\n",
                "KEY",
                r.of(BECH32, 58)
            ),
        ),
        (
            "WireGuard private key",
            format!(
                "[Interface]\n{} = {}\n",
                "PrivateKey",
                STANDARD.encode(r.bytes(32))
            ),
        ),
        (
            "JSON web key with its private part",
            format!(
                "{{\"kty\":\"EC\",\"crv\":\"P-256\",\"x\":\"{}\",{}:\"{}\"}}",
                r.of(url, 43),
                "\"d\"",
                r.of(url, 43)
            ),
        ),
        (
            "AWS secret access key",
            format!(
                "[default]\naws_access_key_id = AK{}\naws_secret_access_{} = {aws}\n",
                r.of(CAPITALS, 18),
                "key"
            ),
        ),
        (
            "AWS secret access key",
            format!("export AWS_SECRET_ACCESS_{}=\"{aws}\"\n", "KEY"),
        ),
        (
            "AWS secret access key",
            format!("{{\"Secret{}\": \"{aws}\"}}\n", "AccessKey"),
        ),
        (
            "AWS secret access key",
            format!(
                "Access key ID,Secret access key\nAK{}{},{aws}\n",
                "IA",
                r.of(CAPITALS, 16)
            ),
        ),
        ("JSON web token", format!("{web}\n")),
        (
            "JSON web token",
            format!("{{\"access_token\": \"{web}\", \"expires_in\": 3600}}\n"),
        ),
        (
            "GitHub token",
            format!("token: gh{}_{}\n", "p", r.of(ALNUM, 36)),
        ),
        (
            "GitHub token",
            format!("token: gh{}_{}\n", "o", r.of(ALNUM, 36)),
        ),
        (
            "GitHub token",
            format!(
                "TOKEN=github_{}_{}_{}\n",
                "pat",
                r.of(ALNUM, 22),
                r.of(ALNUM, 59)
            ),
        ),
        (
            "GitLab token",
            format!("private_token = \"gl{}-{}\"\n", "pat", r.of(ALNUM, 20)),
        ),
        (
            "Slack token",
            format!(
                "xo{}-{}-{}-{}\n",
                "xb",
                r.of("123456789", 12),
                r.of("123456789", 13),
                r.of(ALNUM, 24)
            ),
        ),
        (
            "Slack webhook",
            format!(
                "https://hooks.{}/services/T{}/B{}/{}\n",
                "slack.com",
                r.of(CAPITALS, 8),
                r.of(CAPITALS, 8),
                r.of(ALNUM, 24)
            ),
        ),
        (
            "Discord webhook",
            format!(
                "https://discord.com/api/{}/{}/{}\n",
                "webhooks",
                r.of("123456789", 18),
                r.of(url, 68)
            ),
        ),
        (
            "Stripe key",
            format!("stripe.api_key = \"sk_{}_{}\"\n", "live", r.of(ALNUM, 24)),
        ),
        ("npm token", format!("np{}_{}\n", "m", r.of(ALNUM, 36))),
        (
            "npm token",
            format!(
                "//registry.example/:_auth{}={}-{}-{}\n",
                "Token",
                r.of(HEX, 8),
                r.of(HEX, 4),
                r.of(HEX, 20)
            ),
        ),
        (
            "PyPI token",
            format!("password = py{}-AgE{}\n", "pi", r.of(url, 160)),
        ),
        (
            "RubyGems key",
            format!(":key: ruby{}_{}\n", "gems", r.of(HEX, 48)),
        ),
        (
            "Google API key",
            format!("key=AI{}{}\n", "za", r.of(url, 35)),
        ),
        (
            "Google client secret",
            format!("secret: GO{}-{}\n", "CSPX", r.of(url, 28)),
        ),
        (
            "Google access token",
            format!("Bearer ya{}.{}\n", "29", r.of(url, 120)),
        ),
        (
            "OpenAI key",
            format!("OPENAI_API_KEY=s{}-{}\n", "k", r.of(ALNUM, 48)),
        ),
        (
            "OpenAI key",
            format!("key = \"s{}-proj-{}\"\n", "k", r.of(url, 100)),
        ),
        (
            "Anthropic key",
            format!("key: sk-{}-api03-{}\n", "ant", r.of(url, 95)),
        ),
        (
            "Hugging Face token",
            format!("h{}_{}\n", "f", r.of(ALNUM, 34)),
        ),
        ("Groq key", format!("gs{}_{}\n", "k", r.of(ALNUM, 52))),
        ("xAI key", format!("xa{}-{}\n", "i", r.of(ALNUM, 80))),
        (
            "Azure storage key",
            format!(
                "DefaultEndpointsProtocol=https;AccountName=tea;Account{}={}==\n",
                "Key",
                r.of(base, 86)
            ),
        ),
        (
            "Azure access key",
            format!(
                "Endpoint=sb://tea.example/;SharedAccess{}={}=\n",
                "Key",
                r.of(base, 43)
            ),
        ),
        (
            "Azure client secret",
            format!("client: {}8{}{}\n", r.of(ALNUM, 3), "Q~", r.of(ALNUM, 34)),
        ),
        (
            "Databricks token",
            format!("token = da{}{}\n", "pi", r.of(HEX, 32)),
        ),
        (
            "DigitalOcean token",
            format!("do{}_v1_{}\n", "p", r.of(HEX, 64)),
        ),
        (
            "Docker Hub token",
            format!("dckr_{}_{}\n", "pat", r.of(url, 27)),
        ),
        (
            "Docker login",
            format!(
                "{{\"{}\": {{\"https://index.example/v1/\": {{\"auth\": \"{login}\"}}}}}}\n",
                "auths"
            ),
        ),
        (
            "Doppler token",
            format!("dp.{}.{}\n", "pt", r.of(ALNUM, 43)),
        ),
        ("Figma token", format!("fig{}_{}\n", "d", r.of(url, 40))),
        (
            "Grafana token",
            format!("gl{}_{}_{}\n", "sa", r.of(ALNUM, 32), r.of(HEX, 8)),
        ),
        ("Linear key", format!("lin_{}_{}\n", "api", r.of(ALNUM, 40))),
        ("Mailgun key", format!("api: ke{}-{}\n", "y", r.of(HEX, 32))),
        (
            "New Relic key",
            format!("NR{}-{}\n", "AK", r.of(CAPITALS, 27)),
        ),
        ("Notion token", format!("nt{}_{}\n", "n", r.of(ALNUM, 46))),
        (
            "PlanetScale token",
            format!("pscale_{}_{}\n", "tkn", r.of(url, 43)),
        ),
        ("Pulumi token", format!("pu{}-{}\n", "l", r.of(HEX, 40))),
        (
            "SendGrid key",
            format!("S{}.{}.{}\n", "G", r.of(url, 22), r.of(url, 43)),
        ),
        (
            "Sentry token",
            format!("sntry{}_{}\n", "s", r.of(ALNUM, 120)),
        ),
        ("Shopify token", format!("shp{}_{}\n", "at", r.of(HEX, 32))),
        ("Square token", format!("sq{}csp-{}\n", "0", r.of(url, 43))),
        ("Supabase token", format!("sb{}_{}\n", "p", r.of(HEX, 40))),
        (
            "Tailscale key",
            format!("ts{}-auth-{}\n", "key", r.of(ALNUM, 36)),
        ),
        (
            "Telegram token",
            format!("bot = {}:A{}{}\n", r.of(DIGITS, 10), "A", r.of(url, 33)),
        ),
        (
            "Terraform Cloud token",
            format!(
                "token = \"{}.atlas{}.{}\"\n",
                r.of(ALNUM, 14),
                "v1",
                r.of(url, 67)
            ),
        ),
        ("Vault token", format!("hv{}.{}\n", "s", r.of(url, 90))),
    ]
}

const NAMES: &[&str] = &[
    ".aws/config",
    ".aws/credentials",
    ".boto",
    ".docker/config.json",
    ".dockercfg",
    ".env",
    ".env.local",
    ".envrc",
    ".gem/credentials",
    ".git-credentials",
    ".htpasswd",
    ".kube/config",
    ".my.cnf",
    ".netrc",
    ".npmrc",
    ".pgpass",
    ".pypirc",
    ".s3cfg",
    ".terraformrc",
    ".vault-token",
    "Secrets.YAML",
    "app.env",
    "auth.json",
    "authorized_keys",
    "cert.der",
    "client_secret_7.json",
    "credentials",
    "credentials.json",
    "dev.secrets.json",
    "home.ovpn",
    "htpasswd",
    "id_ed25519",
    "id_ed25519.pub",
    "id_rsa",
    "id_rsa_work",
    "key.agekey",
    "keys.kdbx",
    "kubeconfig",
    "local.settings.json",
    "login.keytab",
    "master.key",
    "passwords.csv",
    "prod.auto.tfvars",
    "prod.env",
    "prod.tfvars",
    "prod.tfvars.json",
    "putty.ppk",
    "rclone.conf",
    "secrets.json",
    "secrets.prod.yaml",
    "secrets.toml",
    "secrets.yml",
    "server.PEM",
    "service-account-tea.json",
    "shadow",
    "signing.p8",
    "store.jks",
    "store.p12",
    "store.pfx",
    "terraform.tfstate",
    "terraform.tfstate.backup",
    "tls.key",
    "wp-config.php",
    "wp-config.php.bak",
];

/// Texts that mention a secret, contain a placeholder, or resemble a secret.
fn near_misses() -> Vec<String> {
    let r = &mut Random(11);
    let (begin, end, key) = ("-----BEGIN ", "-----END ", "PRIVATE KEY-----");
    let certificate = wrapped(&der(r, 700));
    let shown = STANDARD.encode(r#"{"sub":"1234567890","name":"John Doe","iat":1516239022}"#);
    let shown = format!(
        "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.{}.{}",
        shown.trim_end_matches('='),
        r.of(ALNUM, 43)
    );
    vec![
        format!("if line.startswith(\"{begin}RSA {key}\"): # until \"{end}RSA {key}\"\n"),
        format!("{begin}{key}\nMIIEvQIBADANBgkqhkiG9w0BAQEFAASC...\n{end}{key}\n"),
        format!("{begin}{key}\nMIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7VJTUt9Us8cKj\n{end}{key}\n"),
        format!("{begin}{key}\n<your key here>\n{end}{key}\n"),
        format!("{begin}{key}\n{}{end}{key}\n", "A".repeat(64) + "\n"),
        format!("{begin}PUBLIC KEY-----\n{certificate}{end}PUBLIC KEY-----\n"),
        format!("{begin}CERTIFICATE-----\n{certificate}{end}CERTIFICATE-----\n"),
        format!("{begin}{key}\n").repeat(1000),
        "PuTTY-User-Key-File-2: ssh-rsa\nPrivate-Lines: 8\n".to_string(),
        "AGE-SECRET-KEY-1QQPQPQPQPQ…".to_string(),
        "PrivateKey = <base64>\nprivate PrivateKey key = keyFactory.generate();\n".to_string(),
        "aws_secret_access_key = wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY\naws_access_key_id = AKIAIOSFODNN7EXAMPLE\n".to_string(),
        "AWS_SECRET_ACCESS_KEY=${AWS_SECRET_ACCESS_KEY}\nAWS_SECRET_ACCESS_KEY=xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx\n".to_string(),
        format!("aws_secret_access_key: sha1 {}\n", r.of(HEX, 40)),
        format!("Example: {shown}\n"),
        format!("{}\n{shown}\n", "A page about tokens. ".repeat(1000)),
        "ghp_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx ghp_yourtoken ghp_ghp_1234567890abcdefghijklmnopqrstuvwxyz\n".to_string(),
        "const GITHUB_PREFIXES: [&str; 3] = [\"ghp_\", \"github_pat_\", \"gho_\"];\n".to_string(),
        "glpat-xxxxxxxxxxxxxxxxxxxx glpat-YOUR_ACCESS_TOKEN glpat-abcdefghijklmnopqrst\n".to_string(),
        "xoxb-your-token xoxb-1234 xoxp-XXXXXXXXXXXX-XXXXXXXXXXXX-XXXXXXXXXXXXXXXXXXXXXXXX\n".to_string(),
        "https://hooks.slack.com/services/T00000000/B00000000/XXXXXXXXXXXXXXXXXXXXXXXX\n".to_string(),
        "sk_live_... sk_test_4eC39HqLyjWDarjtT1zdp7dc\n".to_string(),
        "npm_config_registry=https://example.com npm_lifecycle_event npm_package_config_port_number_of_the_server\n".to_string(),
        "AIzaSy... AIzaXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXX\n".to_string(),
        "sk-your-api-key task-1234 disk-00000000000000000000000000000000 sk-xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx\n".to_string(),
        "sk-ant-... sk-ant-api03-your-key-here\n".to_string(),
        "AccountKey=<key> AccountKey=Eby8vdM02xNOcqF...\n".to_string(),
        format!("key-{} is a digest\n", "a".repeat(32)),
        format!("\"integrity\": \"sha512-{}==\"\n", r.of(ALNUM, 86)),
        format!("commit {}\nmd5 {}\n", r.of(HEX, 40), r.of(HEX, 32)),
        "{\"auths\": {\"https://index.docker.io/v1/\": {\"auth\": \"c3RhY2tvdmVyZmxvdzpleGFtcGxl\"}}}\n".to_string(),
        "password = \"hunter2\"\nsecret: correct horse battery staple\n".to_string(),
        "postgres://user:password@localhost:5432/tea\n".to_string(),
    ]
}

#[test]
fn files_with_secrets_in_their_text_are_withheld() {
    let texts = texts();
    let mut world = World::new().file("tea.md", "# Tea\n");
    for (number, (_, text)) in texts.iter().enumerate() {
        world = world.file(&format!("{number:03}.txt"), text);
    }
    let report = world.sync();
    assert!(texts.len() >= 60);
    let skips = world.open().skips(&world.root()).unwrap();
    for (number, (kind, text)) in texts.iter().enumerate() {
        let path = format!("{number:03}.txt");
        let skip = skips.iter().find(|skip| skip.path == path);
        let skip = skip.unwrap_or_else(|| panic!("{kind} is let in:\n{text}"));
        assert_eq!(skip.reason, SkipReason::Secret, "{text}");
        let detail = skip.detail.as_deref().unwrap();
        assert!(
            detail.starts_with(&format!("{kind} on line ")),
            "{detail}:\n{text}"
        );
    }
    assert_eq!(
        (report.added, report.skipped[&SkipReason::Secret]),
        (1, texts.len())
    );
}

#[test]
fn files_with_names_of_secrets_are_withheld() {
    assert!(NAMES.len() >= 60);
    // Names that begin with a dot are included explicitly, so that they are not skipped as hidden.
    let mut world = World::new().file(".ignore", "!.*\n");
    for name in NAMES {
        world = world.file(name, "x = 1\n");
    }
    world.sync();
    let skips = world.open().skips(&world.root()).unwrap();
    for name in NAMES {
        let skip = skips.iter().find(|skip| skip.path == *name);
        let skip = skip.unwrap_or_else(|| panic!("{name} is let in"));
        assert_eq!(skip.reason, SkipReason::Secret, "{name}");
        assert_eq!(skip.detail.as_deref(), Some("by its name"));
    }
}

#[test]
fn files_that_only_mention_secrets_are_indexed() {
    let texts = near_misses();
    let mut world = World::new();
    for (number, text) in texts.iter().enumerate() {
        world = world.file(&format!("{number:03}.txt"), text);
    }
    let report = world.sync();
    let skips = world.open().skips(&world.root()).unwrap();
    assert_eq!((report.added, &skips[..]), (texts.len(), &[][..]));
}

#[test]
fn an_example_of_a_file_with_secrets_is_judged_by_its_text() {
    let (_, token) = texts().swap_remove(25);
    let world = World::new()
        .file(".ignore", "!.*\n")
        .file(".env.example", "TOKEN=your-token\n")
        .file(".env.template", &token)
        .file("sample.env", "TOKEN=\n");
    world.sync();
    let skips = world.open().skips(&world.root()).unwrap();
    let withheld = skips
        .iter()
        .filter(|skip| skip.reason == SkipReason::Secret);
    let withheld: Vec<&str> = withheld.map(|skip| &*skip.path).collect();
    assert_eq!(withheld, [".env.template"]);
    assert_eq!(world.open().status().unwrap().documents, 3);
}

#[test]
fn one_setting_includes_secrets_and_excludes_them_again() {
    let (_, token) = texts().swap_remove(25);
    let mut world = World::new()
        .file("tea.md", "# Tea\n")
        .file("prod.env", "COLOUR=green\n")
        .file("login.txt", &token);
    assert_eq!(world.sync().added, 1);
    world.options.selection.secrets = Some(Secrets::Index);
    let report = world.sync();
    assert_eq!((report.added, report.skipped.len()), (2, 0));
    assert_eq!(paths(&world.search("colour")), ["prod.env"]);
    world.options.selection.secrets = None;
    let report = world.sync();
    assert_eq!(
        (report.removed, report.skipped[&SkipReason::Secret]),
        (2, 2)
    );
    assert!(world.search("colour").documents.is_empty());
    world.assert_like_fresh();
}

#[test]
fn a_single_file_with_a_secret_is_included_by_the_setting() {
    let (_, token) = texts().swap_remove(25);
    let mut world = World::new().file("login.txt", &token);
    let file = world.root().join("login.txt");
    let sync = |world: &World| {
        world
            .open()
            .sync(&file, &world.options, excerpt_index::quiet)
    };
    assert_eq!(sync(&world).unwrap().skipped[&SkipReason::Secret], 1);
    world.options.selection.secrets = Some(Secrets::Index);
    assert_eq!(sync(&world).unwrap().added, 1);
}

#[test]
fn a_document_that_gets_a_secret_is_removed_from_the_index() {
    let (_, token) = texts().swap_remove(25);
    let world = World::new()
        .file("tea.md", "# Tea\n")
        .file("milk.md", "# Milk\n");
    world.sync();
    world.write("milk.md", format!("# Milk\n\n{token}"));
    let report = world.sync();
    assert_eq!((report.removed, report.unchanged), (1, 1));
    assert!(world.search("milk").documents.is_empty());
    fs::write(world.root().join("milk.md"), "# Milk\n").unwrap();
    assert_eq!(world.sync().added, 1);
}

#[test]
fn reading_a_withheld_file_reports_the_reason_and_the_setting() {
    let (_, token) = texts().swap_remove(25);
    let world = World::new()
        .file("tea.md", "# Tea\n")
        .file("deep/prod.env", "COLOUR=green\n")
        .file("data.txt", b"\0")
        .file("login.txt", format!("Here:\n{token}"))
        .file("node_modules/x/a.js", "x");
    world.sync();
    let index = world.open();
    let told = |path: &str| {
        let error = index.get(&Target::document(path), &Default::default());
        let error = error.unwrap_err();
        assert!(matches!(error, Error::Skipped { .. }), "{error:?}");
        error.to_string()
    };
    assert_eq!(
        told("login.txt"),
        "`login.txt` is not in the index because it may contain secrets (GitHub token on line 2): to index such files, set `secrets = \"index\"` in `[files]` of your own excerpt.toml"
    );
    assert_eq!(
        told("deep/prod.env"),
        "`deep/prod.env` is not in the index because it may contain secrets (by its name): to index such files, set `secrets = \"index\"` in `[files]` of your own excerpt.toml"
    );
    assert_eq!(
        told("data.txt"),
        "`data.txt` is not in the index: it was skipped (binary)"
    );
    assert_eq!(
        told("node_modules/x/a.js"),
        "`node_modules/x/a.js` is not in the index: it is in a folder that was skipped (vendored or generated)"
    );
}

/// The folders of our dependencies.
fn packages() -> Vec<std::path::PathBuf> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let output = std::process::Command::new(cargo)
        .args(["metadata", "--format-version", "1", "--offline"])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .unwrap();
    let metadata: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let packages = metadata["packages"].as_array().unwrap().iter();
    // Only those from a registry: our own files contain secrets generated for tests.
    let foreign = packages.filter(|package| !package["source"].is_null());
    let manifests = foreign.map(|package| package["manifest_path"].as_str().unwrap());
    let folders = manifests.map(|path| std::path::Path::new(path).parent().unwrap().into());
    folders.collect()
}

#[test]
fn at_most_one_of_ten_thousand_real_files_is_withheld_by_mistake() {
    let selection = Selection::default();
    let (mut texts, mut bytes, mut keys, mut mistakes) = (0, 0, Vec::new(), Vec::new());
    let mut named = Vec::new();
    let mut todo = packages();
    while let Some(folder) = todo.pop() {
        for entry in fs::read_dir(&folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                todo.push(path);
                continue;
            }
            let Ok(text) = fs::read_to_string(&path) else {
                continue;
            };
            texts += 1;
            bytes += text.len();
            let shown = path.to_str().unwrap();
            match selection.withholds(shown, &text) {
                None => {}
                Some(Secret::Named) => named.push(shown.to_string()),
                // It can be decoded, so it is a key, even if it was made for a test.
                Some(Secret::Found { kind, line }) if kind.contains("private key") => {
                    keys.push(format!("{shown}:{line}"));
                }
                Some(secret) => mistakes.push(format!("{shown}: {secret}")),
            }
        }
    }
    println!(
        "{texts} texts, {bytes} bytes: withheld for a private key {keys:?}, by name {named:?}, by mistake {mistakes:?}"
    );
    assert!(texts > 5_000, "{texts}");
    assert!(mistakes.len() * 10_000 <= texts, "{mistakes:?}");
    let is_key = |path: &String| {
        [".pem", ".key", ".der", "/.envrc"]
            .iter()
            .any(|end| path.ends_with(end))
    };
    assert!(named.iter().all(is_key), "{named:?}");
}
