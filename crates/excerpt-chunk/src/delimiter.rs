//! The configured delimiter: a regular expression, with the feature `regex`. Without it a
//! [`Delimiter`] cannot be made, and a configuration that has one is refused.

pub(crate) use pattern::Delimiter;

#[cfg(feature = "regex")]
mod pattern {
    use std::ops::Range;

    use regex::{Regex, RegexBuilder};

    /// A compiled pattern, in which `^` and `$` match at line ends.
    #[derive(Clone, Debug)]
    pub(crate) struct Delimiter(Regex);

    impl Delimiter {
        /// Compiles `pattern`.
        ///
        /// # Errors
        ///
        /// What is expected instead.
        pub(crate) fn new(pattern: &str) -> Result<Self, String> {
            let regex = RegexBuilder::new(pattern).multi_line(true).build();
            let regex =
                regex.map_err(|error| format!("a regular expression: {}", one_line(&error)))?;
            Ok(Delimiter(regex))
        }

        /// The pattern as written.
        pub(crate) fn as_str(&self) -> &str {
            self.0.as_str()
        }

        /// The matches in `text`, in order.
        pub(crate) fn find_iter<'t>(&'t self, text: &'t str) -> impl Iterator<Item = Range<usize>> {
            self.0.find_iter(text).map(|found| found.range())
        }
    }

    /// The last line of a regex error, which says what is wrong; the lines above it draw the place.
    fn one_line(error: &regex::Error) -> String {
        let text = error.to_string();
        let last = text.lines().last().unwrap_or_default();
        last.trim_start_matches("error: ").to_string()
    }
}

#[cfg(not(feature = "regex"))]
mod pattern {
    use std::ops::Range;

    /// No delimiter exists in this build.
    #[derive(Clone, Debug)]
    pub(crate) enum Delimiter {}

    impl Delimiter {
        pub(crate) fn new(_: &str) -> Result<Self, String> {
            Err("none: this build has no regular expressions (the feature `regex`)".to_string())
        }

        pub(crate) fn as_str(&self) -> &str {
            match *self {}
        }

        pub(crate) fn find_iter(&self, _: &str) -> std::iter::Empty<Range<usize>> {
            match *self {}
        }
    }
}
