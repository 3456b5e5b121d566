//! The page itself, with its style and the script that sets the theme inside: a browser paints it
//! without waiting for another file.

use std::sync::LazyLock;

use axum::http::HeaderValue;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use sha2::{Digest as _, Sha256};

const FRAME: &str = include_str!("assets/index.html");
const STYLE: &str = include_str!("assets/style.css");
const THEME: &str = include_str!("assets/theme.js");

/// What stands in the frame for the style and the script.
const STYLE_LINK: &str = r#"<link rel="stylesheet" href="/assets/style.css">"#;
const THEME_LINK: &str = r#"<script src="/assets/theme.js"></script>"#;

/// The page.
pub(super) static SHELL: LazyLock<String> = LazyLock::new(|| {
    FRAME
        .replace(STYLE_LINK, &format!("<style>{STYLE}</style>"))
        .replace(THEME_LINK, &format!("<script>{THEME}</script>"))
});

/// What the page may load and do: nothing from elsewhere, and of what is inside only this style and
/// this script, which are known by their hashes.
static POLICY: LazyLock<Option<HeaderValue>> = LazyLock::new(|| {
    let hash = |text: &str| STANDARD.encode(Sha256::digest(text.as_bytes()));
    let policy = format!(
        "default-src 'none'; script-src 'self' 'sha256-{}'; style-src 'self' 'sha256-{}'; img-src 'self' data:; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
        hash(THEME),
        hash(STYLE)
    );
    HeaderValue::from_str(&policy).ok()
});

/// The content security policy of every answer.
pub(in crate::http) fn policy() -> HeaderValue {
    let strictest = HeaderValue::from_static("default-src 'none'");
    POLICY.clone().unwrap_or(strictest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page_contains_its_style_and_its_theme() {
        assert!(SHELL.contains(STYLE) && SHELL.contains(THEME));
        assert!(!SHELL.contains(STYLE_LINK) && !SHELL.contains(THEME_LINK));
        // Either would end its element.
        assert!(!STYLE.contains("</") && !THEME.contains("</"));
        let policy = policy();
        assert_eq!(policy.to_str().unwrap().matches("sha256-").count(), 2);
    }
}
