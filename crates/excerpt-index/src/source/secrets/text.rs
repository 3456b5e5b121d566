//! Secrets in a text. One pass over the text finds the markers of secrets; the structure of the
//! text at each marker is then checked. Each check reads a bounded part of the text, so the whole
//! takes linear time.

use std::sync::LazyLock;

use aho_corasick::{AhoCorasick, MatchKind};
use base64::Engine as _;
use base64::engine::general_purpose::GeneralPurpose;
use base64::engine::{DecodePaddingMode, GeneralPurposeConfig};

use crate::model::Secret;

/// The most bytes from its marker to the end of a private key. An RSA key with 16,384 bits takes
/// 12,700.
const LONGEST_KEY: usize = 20_000;

/// The size in bytes up to which a text may exist to store one JSON web token: a longer one shows
/// it as an example.
const LONGEST_TOKEN_FILE: usize = 16 << 10;

/// A kind of secret that a marker may start.
struct SecretKind {
    name: &'static str,
    /// Texts that are part of every secret of this kind.
    markers: &'static [&'static str],
    shape: Shape,
}

/// How a secret is distinguished from a mention of its kind.
enum Shape {
    /// The marker starts a word and is followed by exactly this many characters of an alphabet.
    Token(Alphabet, usize, usize),
    /// A check of its own.
    Special(fn(&Position<'_>) -> bool),
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Alphabet {
    Hex,
    /// Letters and digits.
    Alnum,
    /// Those of URL-safe base64: letters, digits, `-` and `_`.
    Url,
    /// Those of base64: letters, digits, `+` and `/`.
    Base64,
    /// Those of bech32 in upper case.
    Bech32,
    /// The characters of the rest of a token with parts: letters, digits, `-`, `_`, `.`, `=`.
    Parts,
}

use Alphabet::{Alnum, Base64, Bech32, Hex, Parts, Url};
use Shape::{Special, Token};

/// The markers of private keys come first: of two that start at the same place, the first counts.
const KINDS: &[SecretKind] = &[
    kind("private key", &["PRIVATE KEY"], Special(private_key)),
    kind("private key", &["LS0tLS1CRUdJTi"], Special(encoded_key)),
    kind(
        "PuTTY private key",
        &["PuTTY-User-Key-File-"],
        Special(putty_key),
    ),
    kind(
        "OpenVPN static key",
        &["OpenVPN Static key V1-----"],
        Special(static_key),
    ),
    kind(
        "age secret key",
        &["AGE-SECRET-KEY-1"],
        Token(Bech32, 58, 58),
    ),
    kind(
        "WireGuard private key",
        &["PrivateKey"],
        Special(wireguard_key),
    ),
    kind(
        "JSON web key with its private part",
        &["\"d\":"],
        Special(web_key),
    ),
    kind(
        "AWS secret access key",
        &["ecret_access_key", "ECRET_ACCESS_KEY", "ecretAccessKey"],
        Special(aws_secret),
    ),
    kind("AWS secret access key", &["AKIA"], Special(aws_pair)),
    kind("JSON web token", &["eyJ"], Special(web_token)),
    kind(
        "GitHub token",
        &["ghp_", "gho_", "ghu_", "ghs_", "ghr_"],
        Token(Alnum, 36, 76),
    ),
    kind("GitHub token", &["github_pat_"], Token(Url, 60, 100)),
    kind("GitLab token", &["glpat-", "glrt-"], Token(Parts, 20, 80)),
    kind("Slack token", &["xox", "xapp-"], Special(slack_token)),
    kind(
        "Slack webhook",
        &["hooks.slack.com/services/T"],
        Special(slack_webhook),
    ),
    kind(
        "Discord webhook",
        &["/api/webhooks/"],
        Special(discord_webhook),
    ),
    kind(
        "Stripe key",
        &["sk_live_", "rk_live_"],
        Token(Alnum, 24, 120),
    ),
    kind("npm token", &["npm_"], Token(Alnum, 36, 36)),
    kind("npm token", &["_authToken="], Token(Url, 32, 80)),
    kind("PyPI token", &["pypi-AgE"], Token(Url, 50, 400)),
    kind("RubyGems key", &["rubygems_"], Token(Hex, 48, 48)),
    kind("Google API key", &["AIza"], Token(Url, 35, 35)),
    kind("Google client secret", &["GOCSPX-"], Token(Url, 28, 28)),
    kind("Google access token", &["ya29."], Token(Parts, 60, 400)),
    kind("OpenAI key", &["sk-"], Special(openai_key)),
    kind("Anthropic key", &["sk-ant-"], Token(Url, 60, 140)),
    kind("Hugging Face token", &["hf_"], Token(Alnum, 34, 40)),
    kind("Groq key", &["gsk_"], Token(Alnum, 52, 52)),
    kind("xAI key", &["xai-"], Token(Alnum, 80, 80)),
    kind("Azure storage key", &["AccountKey="], Token(Base64, 86, 86)),
    kind(
        "Azure access key",
        &["SharedAccessKey="],
        Token(Base64, 43, 43),
    ),
    kind("Azure client secret", &["8Q~"], Special(azure_secret)),
    kind("Databricks token", &["dapi"], Token(Hex, 32, 32)),
    kind("DigitalOcean token", &["dop_v1_"], Token(Hex, 64, 64)),
    kind("Docker Hub token", &["dckr_pat_"], Token(Url, 27, 40)),
    kind("Docker login", &["\"auths\""], Special(docker_login)),
    kind("Doppler token", &["dp.pt."], Token(Parts, 40, 64)),
    kind("Figma token", &["figd_"], Token(Url, 36, 50)),
    kind("Grafana token", &["glsa_"], Token(Url, 41, 41)),
    kind("Grafana token", &["glc_eyJ"], Token(Base64, 60, 400)),
    kind("Linear key", &["lin_api_"], Token(Alnum, 40, 40)),
    kind("Mailgun key", &["key-"], Token(Hex, 32, 32)),
    kind("New Relic key", &["NRAK-"], Token(Alnum, 27, 27)),
    kind("Notion token", &["ntn_"], Token(Alnum, 43, 50)),
    kind("PlanetScale token", &["pscale_"], Token(Parts, 34, 80)),
    kind("Pulumi token", &["pul-"], Token(Hex, 40, 40)),
    kind("SendGrid key", &["SG."], Special(sendgrid_key)),
    kind("Sentry token", &["sntry"], Token(Parts, 50, 400)),
    kind("Shopify token", &["shp"], Special(shopify_token)),
    kind("Square token", &["sq0"], Token(Url, 26, 47)),
    kind("Supabase token", &["sbp_"], Token(Hex, 40, 40)),
    kind("Tailscale key", &["tskey-"], Token(Url, 25, 80)),
    kind("Telegram token", &[":AA"], Special(telegram_token)),
    kind(
        "Terraform Cloud token",
        &[".atlasv1."],
        Special(terraform_token),
    ),
    kind("Vault token", &["hvs."], Token(Url, 24, 200)),
];

const fn kind(name: &'static str, markers: &'static [&'static str], shape: Shape) -> SecretKind {
    SecretKind {
        name,
        markers,
        shape,
    }
}

/// The automaton that finds all markers, and the kind of each.
struct Searcher {
    machine: AhoCorasick,
    kinds: Vec<&'static SecretKind>,
}

static SEARCHER: LazyLock<Option<Searcher>> = LazyLock::new(|| {
    // Of markers with the same start, the longest is the most specific.
    let mut marked: Vec<(&'static str, &'static SecretKind)> = KINDS
        .iter()
        .flat_map(|kind| kind.markers.iter().map(move |marker| (*marker, kind)))
        .collect();
    marked.sort_by_key(|(marker, _)| std::cmp::Reverse(marker.len()));
    let mut builder = AhoCorasick::builder();
    let builder = builder.match_kind(MatchKind::LeftmostFirst);
    let machine = builder
        .build(marked.iter().map(|(marker, _)| marker))
        .ok()?;
    Some(Searcher {
        machine,
        kinds: marked.into_iter().map(|(_, kind)| kind).collect(),
    })
});

/// The first secret in a text.
#[must_use]
pub(crate) fn found(text: &str) -> Option<Secret> {
    let searcher = SEARCHER.as_ref()?;
    let bytes = text.as_bytes();
    for marker in searcher.machine.find_iter(bytes) {
        let kind = searcher.kinds[marker.pattern().as_usize()];
        let place = Position {
            text: bytes,
            start: marker.start(),
            end: marker.end(),
        };
        let is_secret = match kind.shape {
            Token(alphabet, least, most) => place.is_token(alphabet, least, most),
            Special(examine) => examine(&place),
        };
        if is_secret {
            let before = &bytes[..marker.start()];
            return Some(Secret::Found {
                kind: kind.name,
                line: 1 + before.iter().filter(|byte| **byte == b'\n').count(),
            });
        }
    }
    None
}

/// A marker in a text.
struct Position<'t> {
    text: &'t [u8],
    start: usize,
    end: usize,
}

impl<'t> Position<'t> {
    /// The text after the marker, up to this many bytes.
    fn behind(&self, most: usize) -> &'t [u8] {
        let rest = &self.text[self.end..];
        &rest[..rest.len().min(most)]
    }

    /// The text before the marker, up to this many bytes.
    fn before(&self, most: usize) -> &'t [u8] {
        let before = &self.text[..self.start];
        &before[before.len().saturating_sub(most)..]
    }

    /// Whether the marker starts a word.
    fn begins_word(&self) -> bool {
        let last = self.before(1).first();
        last.is_none_or(|byte| !byte.is_ascii_alphanumeric() && *byte != b'_')
    }

    fn is_token(&self, alphabet: Alphabet, least: usize, most: usize) -> bool {
        if !self.begins_word() {
            return false;
        }
        let body = run(self.behind(most + 1), alphabet);
        (least..=most).contains(&body.len()) && is_random(body, alphabet)
    }
}

/// The characters of an alphabet at the start of a text.
fn run(text: &[u8], alphabet: Alphabet) -> &[u8] {
    let end = text.iter().position(|byte| !alphabet.has(*byte));
    &text[..end.unwrap_or(text.len())]
}

impl Alphabet {
    fn has(self, byte: u8) -> bool {
        match self {
            Hex => byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte),
            Alnum => byte.is_ascii_alphanumeric(),
            Url => byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_'),
            Base64 => byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/'),
            Bech32 => b"023456789ACDEFGHJKLMNPQRSTUVWXYZ".contains(&byte),
            Parts => byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.' | b'='),
        }
    }

    /// The least bits of entropy per character of a random text. In short texts it is far below
    /// what the alphabet allows: 20 random characters of 62 have 4.1 bits, and less than 3.4 in one
    /// of a million cases.
    fn least_bits(self) -> f64 {
        match self {
            Hex => 2.9,
            _ => 3.4,
        }
    }
}

/// Words that occur in placeholders but not in random text.
const PLACEHOLDERS: [&[u8]; 16] = [
    b"0000000",
    b"1234567",
    b"abcdef",
    b"changeme",
    b"dummy",
    b"example",
    b"fake",
    b"foobar",
    b"insert",
    b"placeholder",
    b"redacted",
    b"replace",
    b"sample",
    b"secret",
    b"xxxx",
    b"your",
];

/// Whether a text looks random, and not made up by a person.
fn is_random(text: &[u8], alphabet: Alphabet) -> bool {
    let mut counts = [0_u32; 256];
    for byte in text {
        counts[usize::from(*byte)] += 1;
    }
    let length = text.len() as f64;
    let bits = counts.iter().filter(|count| **count > 0).map(|count| {
        let share = f64::from(*count) / length;
        -share * share.log2()
    });
    let has = |test: fn(&u8) -> bool| text.iter().any(test);
    let is_mixed = match alphabet {
        // Of 20 random characters one of 30 texts has no digit, of 30 one of 200.
        _ if text.len() >= 30 => has(u8::is_ascii_digit) && has(u8::is_ascii_alphabetic),
        _ => {
            has(u8::is_ascii_alphabetic) && (has(u8::is_ascii_digit) || has(u8::is_ascii_uppercase))
        }
    };
    bits.sum::<f64>() >= alphabet.least_bits()
        && is_mixed
        && !is_sequence(text, 1)
        && !is_sequence(text, 2)
        && !has_placeholder(text)
}

/// Whether many characters are consecutive, as in `abcdef…` or, with a step of two, in `a1b2c3…`.
fn is_sequence(text: &[u8], step: usize) -> bool {
    let pairs = text.iter().zip(text.iter().skip(step));
    let near = pairs.filter(|(a, b)| a.abs_diff(**b) <= 1).count();
    // Of random hexadecimal digits one pair in six is, in other alphabets one in twenty.
    near * 5 > text.len().saturating_sub(step) * 2
}

fn has_placeholder(text: &[u8]) -> bool {
    let small = text.to_ascii_lowercase();
    PLACEHOLDERS
        .iter()
        .any(|word| small.windows(word.len()).any(|found| found == *word))
}

/// Base64 with or without padding.
const BASE64: GeneralPurpose = GeneralPurpose::new(
    &base64::alphabet::STANDARD,
    GeneralPurposeConfig::new()
        .with_decode_padding_mode(DecodePaddingMode::Indifferent)
        .with_decode_allow_trailing_bits(true),
);

/// The same in the URL-safe alphabet.
const BASE64_URL: GeneralPurpose = GeneralPurpose::new(
    &base64::alphabet::URL_SAFE,
    GeneralPurposeConfig::new()
        .with_decode_padding_mode(DecodePaddingMode::Indifferent)
        .with_decode_allow_trailing_bits(true),
);

/// An armored private key: a start line, a body that decodes to a key, and an end line.
fn private_key(place: &Position<'_>) -> bool {
    let before = place.before(40);
    let opens = before.rsplit(|byte| *byte == b'-').next();
    let is_opened = opens.is_some_and(|line| line.trim_ascii_start().starts_with(b"BEGIN "))
        && before.len() > opens.map_or(0, <[u8]>::len);
    let behind = place.behind(LONGEST_KEY);
    let Some(dashes) = find(behind, b"----").filter(|dashes| is_opened && *dashes <= 8) else {
        return false;
    };
    let is_pgp = behind.starts_with(b" BLOCK");
    let behind = &behind[dashes..];
    let begin = behind.iter().position(|byte| *byte != b'-');
    let rest = &behind[begin.unwrap_or(behind.len())..];
    let Some(end) = find(rest, b"---") else {
        return false;
    };
    let ended = rest[end..].iter().position(|byte| *byte != b'-');
    let ended = ended.is_some_and(|at| rest[end + at..].trim_ascii_start().starts_with(b"END"));
    let Some(body) = body(&rest[..end]).filter(|_| ended) else {
        return false;
    };
    let Ok(key) = BASE64.decode(&body.text) else {
        return false;
    };
    let is_key = match body.is_encrypted {
        true => key.len() >= 48 && key.len() % 8 == 0,
        false if is_pgp => key.len() >= 64 && key[0] & 0x80 != 0,
        false => is_plain_key(&key),
    };
    is_key && is_varied(&key)
}

/// Whether these are the bytes of a key of OpenSSH or SSH.com, or of a key in DER.
fn is_plain_key(key: &[u8]) -> bool {
    key.starts_with(b"openssh-key-v1\0")
        || key.starts_with(&[0x3f, 0x6f, 0xf9, 0xeb])
        || is_der(key)
}

/// The base64 between the start and end lines of a key.
struct Payload {
    text: Vec<u8>,
    /// Whether a header states that it is encrypted.
    is_encrypted: bool,
}

/// The body of a key in a file of its own, or in a quoted string, line by line or with escaped line
/// breaks, in a comment or in a list.
fn body(text: &[u8]) -> Option<Payload> {
    let mut body = Payload {
        text: Vec::new(),
        is_encrypted: false,
    };
    for line in lines(text) {
        let line = undecorated(line);
        if line.is_empty() || (line.len() == 5 && line[0] == b'=') {
            continue;
        }
        if line.contains(&b':') {
            let is_header = body.text.is_empty() && line[0].is_ascii_alphabetic();
            body.is_encrypted |= find(line, b"ENCRYPTED").is_some();
            if is_header {
                continue;
            }
            return None;
        }
        for word in line.split(u8::is_ascii_whitespace) {
            if !word.iter().all(|byte| Base64.has(*byte) || *byte == b'=') {
                return None;
            }
            body.text.extend(word);
        }
    }
    (body.text.len() >= 60).then_some(body)
}

/// The lines of a text, also between escaped line breaks, including those of a string in a string.
fn lines(text: &[u8]) -> Vec<&[u8]> {
    let mut lines = Vec::new();
    for line in text.split(|byte| matches!(byte, b'\n' | b'\r')) {
        let mut rest = line;
        while let Some(at) = find(rest, b"\\n").or_else(|| find(rest, b"\\r")) {
            let begin = rest[..at].iter().rposition(|byte| *byte != b'\\');
            lines.push(&rest[..begin.map_or(0, |begin| begin + 1)]);
            rest = &rest[at + 2..];
        }
        lines.push(rest);
    }
    lines
}

/// A line without quotes, comment markers, and what joins it to the next line.
fn undecorated(line: &[u8]) -> &[u8] {
    let mut line = unquoted(uncommented(line.trim_ascii()));
    while let [rest @ .., b'\\' | b',' | b';'] = line {
        line = rest.trim_ascii_end();
    }
    // What joins a quoted string to the next one.
    match line.trim_ascii() {
        [b'+' | b'.' | b'&'] => &[],
        line => line,
    }
}

/// A line without a comment marker.
fn uncommented(line: &[u8]) -> &[u8] {
    for mark in [
        &b"//!"[..],
        b"///",
        b"//",
        b"#",
        b"*",
        b">",
        b"|",
        b"--",
        b";",
    ] {
        if let Some(rest) = line.strip_prefix(mark)
            && rest.first().is_none_or(u8::is_ascii_whitespace)
        {
            return rest.trim_ascii();
        }
    }
    line
}

/// What is between the quotes of a line, or on the inner side of a single one.
fn unquoted(line: &[u8]) -> &[u8] {
    let is_quote = |byte: &u8| matches!(byte, b'"' | b'\'' | b'`');
    let opening = line.iter().position(is_quote);
    let closing = line.iter().rposition(is_quote);
    match (opening, closing) {
        (Some(opening), Some(closing)) if opening < closing => &line[opening + 1..closing],
        (Some(0), _) => &line[1..],
        (Some(at), _) => &line[..at],
        _ => line,
    }
}

/// Whether all of these bytes are a single DER value, a sequence.
fn is_der(bytes: &[u8]) -> bool {
    let length = match *bytes {
        [0x30, short @ 0..=0x7f, ..] => 2 + usize::from(short),
        [0x30, 0x81, length, ..] => 3 + usize::from(length),
        [0x30, 0x82, high, low, ..] => 4 + usize::from(u16::from_be_bytes([high, low])),
        _ => return false,
    };
    length == bytes.len()
}

/// Whether bytes are as varied as those of a key: test data may repeat the same byte.
fn is_varied(bytes: &[u8]) -> bool {
    let mut seen = [false; 256];
    bytes
        .iter()
        .for_each(|byte| seen[usize::from(*byte)] = true);
    seen.iter().filter(|seen| **seen).count() >= 20
}

/// An armored private key, encoded in base64 again, as Kubernetes stores it.
fn encoded_key(place: &Position<'_>) -> bool {
    if !place.begins_word()
        || place
            .before(1)
            .first()
            .is_some_and(|byte| Base64.has(*byte))
    {
        return false;
    }
    let rest = &place.text[place.start..];
    let encoded = run(&rest[..rest.len().min(2 * LONGEST_KEY)], Base64);
    let Ok(decoded) = BASE64.decode(encoded) else {
        return false;
    };
    let mut from = 0;
    while let Some(at) = find(&decoded[from..], b"PRIVATE KEY") {
        let inner = Position {
            text: &decoded,
            start: from + at,
            end: from + at + b"PRIVATE KEY".len(),
        };
        if private_key(&inner) {
            return true;
        }
        from = inner.end;
    }
    false
}

fn putty_key(place: &Position<'_>) -> bool {
    let behind = place.behind(6_000);
    let Some(at) = find(behind, b"Private-Lines: ") else {
        return false;
    };
    let lines = behind[at..].split(|byte| *byte == b'\n').skip(1);
    let mut lines = lines
        .map(<[u8]>::trim_ascii)
        .filter(|line| !line.is_empty());
    lines.next().is_some_and(|line| {
        let line = run(line, Base64);
        line.len() >= 40 && is_random(line, Base64)
    })
}

fn static_key(place: &Position<'_>) -> bool {
    let lines = place.behind(1_000).split(|byte| *byte == b'\n').skip(1);
    let lines = lines.map(<[u8]>::trim_ascii);
    let random = lines.take_while(|line| line.len() == 32 && run(line, Hex).len() == 32);
    random.filter(|line| is_random(line, Hex)).count() >= 8
}

/// `PrivateKey = …` of an interface: 32 bytes in base64.
fn wireguard_key(place: &Position<'_>) -> bool {
    let behind = place.behind(64).trim_ascii_start();
    let Some(value) = behind.strip_prefix(b"=") else {
        return false;
    };
    let value = value.trim_ascii_start();
    let key = run(value, Base64);
    place.begins_word()
        && key.len() == 43
        && value.get(43) == Some(&b'=')
        && value
            .get(44)
            .is_none_or(|byte| *byte != b'=' && !Base64.has(*byte))
        && is_random(key, Base64)
}

/// The private number of a JSON web key, next to the field with the type of the key.
fn web_key(place: &Position<'_>) -> bool {
    let value = place.behind(800).trim_ascii_start();
    let Some(value) = value.strip_prefix(b"\"") else {
        return false;
    };
    let number = run(value, Url);
    let is_number = number.len() >= 40 && value.get(number.len()) == Some(&b'"');
    is_number
        && is_random(number, Url)
        && [place.before(2_000), place.behind(3_000)]
            .iter()
            .any(|near| find(near, b"\"kty\"").is_some())
}

/// The value after the name of a secret access key.
fn aws_secret(place: &Position<'_>) -> bool {
    let behind = place.behind(80);
    let begin = behind.iter().position(|byte| byte.is_ascii_alphanumeric());
    let Some(begin) = begin.filter(|begin| (1..=12).contains(begin)) else {
        return false;
    };
    let is_assigned = behind[..begin]
        .iter()
        .any(|byte| matches!(byte, b'=' | b':' | b'>' | b','));
    is_assigned && is_aws_secret(&behind[begin..])
}

/// The id of an access key with its secret, as in the file that the console exports.
fn aws_pair(place: &Position<'_>) -> bool {
    let behind = place.behind(160);
    let id = run(behind, Alnum);
    if !place.begins_word() || id.len() != 16 || id.iter().any(u8::is_ascii_lowercase) {
        return false;
    }
    let mut rest = &behind[16..];
    while !rest.is_empty() {
        let word = run(rest, Base64);
        if is_aws_secret(rest) {
            return true;
        }
        rest = &rest[(word.len() + 1).min(rest.len())..];
    }
    false
}

fn is_aws_secret(text: &[u8]) -> bool {
    let secret = run(text, Base64);
    secret.len() == 40
        && secret.iter().any(u8::is_ascii_lowercase)
        && secret.iter().any(u8::is_ascii_uppercase)
        && is_random(secret, Base64)
}

/// A signed JSON web token that makes up a good part of a small text.
fn web_token(place: &Position<'_>) -> bool {
    if place.text.len() > LONGEST_TOKEN_FILE || !place.begins_word() {
        return false;
    }
    let token = run(&place.text[place.start..], Parts);
    let parts: Vec<&[u8]> = token.split(|byte| *byte == b'.').collect();
    let [header, claims, signature] = parts[..] else {
        return false;
    };
    let is_object = |part: &[u8]| {
        let decoded = BASE64_URL.decode(part).unwrap_or_default();
        serde_json::from_slice::<serde_json::Map<_, serde_json::Value>>(&decoded).ok()
    };
    let Some(claims) = is_object(header).and_then(|_| is_object(claims)) else {
        return false;
    };
    // The claims of the example token of every documentation.
    let is_shown = claims.get("sub").is_some_and(|sub| sub == "1234567890")
        || claims.get("name").is_some_and(|name| name == "John Doe");
    !is_shown
        && token.len() * 4 >= place.text.len()
        && signature.len() >= 32
        && is_random(signature, Url)
}

fn slack_token(place: &Position<'_>) -> bool {
    let body = run(place.behind(300), Url);
    let parts: Vec<&[u8]> = body.split(|byte| *byte == b'-').collect();
    let numbers = parts
        .iter()
        .filter(|part| part.len() >= 9 && part.iter().all(u8::is_ascii_digit));
    let last = parts
        .last()
        .is_some_and(|last| last.len() >= 20 && is_random(last, Alnum));
    place.begins_word() && numbers.count() >= 1 && last
}

fn shopify_token(place: &Position<'_>) -> bool {
    let body = run_of(place.behind(36), |byte| Alnum.has(byte) || byte == b'_');
    let kinds = [&b"at_"[..], b"ca_", b"pa_", b"ss_"];
    let number = kinds.iter().find_map(|kind| body.strip_prefix(*kind));
    place.begins_word()
        && number.is_some_and(|number| {
            number.len() == 32 && run(number, Hex) == number && is_random(number, Hex)
        })
}

fn slack_webhook(place: &Position<'_>) -> bool {
    let parts = run_of(place.behind(80), |byte| {
        byte.is_ascii_alphanumeric() || byte == b'/'
    });
    let parts: Vec<&[u8]> = parts.split(|byte| *byte == b'/').collect();
    matches!(parts[..], [team, [b'B', bot @ ..], key] if team.len() >= 8 && bot.len() >= 8 && key.len() == 24 && is_random(key, Alnum))
}

fn discord_webhook(place: &Position<'_>) -> bool {
    let parts = run_of(place.behind(120), |byte| Url.has(byte) || byte == b'/');
    let parts: Vec<&[u8]> = parts.split(|byte| *byte == b'/').collect();
    matches!(parts[..], [id, key, ..] if id.len() >= 17 && id.iter().all(u8::is_ascii_digit) && key.len() >= 60 && is_random(key, Url))
}

fn run_of(text: &[u8], holds: impl Fn(u8) -> bool) -> &[u8] {
    let end = text.iter().position(|byte| !holds(*byte));
    &text[..end.unwrap_or(text.len())]
}

/// `sk-` with 48 letters and digits, or with a longer body of several parts that contains the
/// marker of the newer keys.
fn openai_key(place: &Position<'_>) -> bool {
    if !place.begins_word() || place.before(1) == b"-" {
        return false;
    }
    let body = run(place.behind(240), Url);
    let is_plain = matches!(body.len(), 32 | 48) && body.iter().all(u8::is_ascii_alphanumeric);
    let has_parts = [&b"proj-"[..], b"svcacct-", b"admin-", b"or-v1-", b"None-"];
    let has_parts = has_parts.iter().any(|part| body.starts_with(part));
    let is_long = body.len() >= 40 && (has_parts || find(body, b"T3BlbkFJ").is_some());
    (is_plain || is_long) && is_random(body, Url)
}

/// The secret of an application: 40 characters, of which the fourth to the sixth are the marker.
fn azure_secret(place: &Position<'_>) -> bool {
    let is_part =
        |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'~' | b'.' | b'-');
    let before = place.before(4);
    let start = before.iter().rposition(|byte| !is_part(*byte));
    let start = start.map_or(before.len(), |at| before.len() - at - 1);
    let rest = run_of(place.behind(40), is_part);
    start == 3 && (31..=34).contains(&rest.len()) && is_random(rest, Parts)
}

/// A registry with a user name and password in base64.
fn docker_login(place: &Position<'_>) -> bool {
    let mut rest = place.behind(2_000);
    while let Some(at) = find(rest, b"\"auth\"") {
        rest = &rest[at + b"\"auth\"".len()..];
        let value = rest.trim_ascii_start();
        let value = value
            .strip_prefix(b":")
            .unwrap_or_default()
            .trim_ascii_start();
        let value = value.strip_prefix(b"\"").unwrap_or_default();
        let encoded = run_of(value, |byte| Base64.has(byte) || byte == b'=');
        let decoded = BASE64.decode(encoded).unwrap_or_default();
        let password = decoded.splitn(2, |byte| *byte == b':').nth(1);
        let is_text = decoded.iter().all(|byte| (b' '..=b'~').contains(byte));
        if is_text
            && password.is_some_and(|password| password.len() >= 8 && !has_placeholder(password))
        {
            return true;
        }
    }
    false
}

fn sendgrid_key(place: &Position<'_>) -> bool {
    let body = run(place.behind(80), Parts);
    let parts: Vec<&[u8]> = body.split(|byte| *byte == b'.').collect();
    place.begins_word()
        && matches!(parts[..], [id, key] if id.len() == 22 && key.len() == 43 && is_random(id, Url) && is_random(key, Url))
}

/// The number of a bot and 35 characters, of which the first two are part of the marker.
fn telegram_token(place: &Position<'_>) -> bool {
    let before = place.before(12);
    let digits = before
        .iter()
        .rev()
        .take_while(|byte| byte.is_ascii_digit())
        .count();
    let is_word =
        before.len() == digits || !before[before.len() - digits - 1].is_ascii_alphanumeric();
    let body = run(place.behind(34), Url);
    (8..=10).contains(&digits) && is_word && body.len() == 33 && is_random(body, Url)
}

fn terraform_token(place: &Position<'_>) -> bool {
    let before = place.before(14);
    let body = run(place.behind(100), Url);
    before.len() == 14
        && run(before, Alnum).len() == 14
        && (60..=80).contains(&body.len())
        && is_random(body, Url)
}

fn find(text: &[u8], part: &[u8]) -> Option<usize> {
    memchr::memmem::find(text, part)
}
