//! The modules that the path of a file stands for.

use crate::table::{Language, PLAIN};

/// The modules that `path` stands for in `language`, outermost first; none for data and pages.
///
/// ```
/// # #[cfg(feature = "rust")]
/// assert_eq!(
///     excerpt_grammars::module_path("rust", "crates/excerpt-chunk/src/parse/markdown.rs"),
///     ["excerpt_chunk", "parse", "markdown"]
/// );
/// ```
#[must_use]
pub fn module_path(language: &str, path: &str) -> Vec<String> {
    let rules = Language::named(language).map_or(Some(PLAIN), |language| language.modules);
    let Some(rules) = rules else {
        return Vec::new();
    };
    let mut parts = path
        .split(['/', '\\'])
        .filter(|part| !matches!(*part, "" | "." | ".."));
    let Some(file) = parts.next_back() else {
        return Vec::new();
    };
    let mut modules: Vec<&str> = parts.collect();
    let root = modules.iter().rposition(|part| rules.roots.contains(part));
    if let Some(root) = root {
        let kept = match rules.package {
            true => root.saturating_sub(1)..root,
            false => root..root,
        };
        let package: Vec<&str> = modules[kept].to_vec();
        modules.splice(..=root, package);
    }
    let stem = match file.split_once('.') {
        Some(("", _)) | None => file,
        Some((stem, _)) => stem,
    };
    if !rules.stems.contains(&stem) {
        modules.push(stem);
    }
    let name = |part: &str| match rules.package {
        true => part.replace('-', "_"),
        false => part.to_string(),
    };
    modules.into_iter().map(name).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[cfg(feature = "rust")]
    fn a_crate_is_the_folder_before_its_sources() {
        assert_eq!(
            module_path("rust", "crates/my-crate/src/lib.rs"),
            ["my_crate"]
        );
        assert_eq!(module_path("rust", "src/a/mod.rs"), ["a"]);
        assert_eq!(module_path("rs", "a/src/b/c.rs"), ["a", "b", "c"]);
        assert_eq!(
            module_path("rust", "tests/suite/main.rs"),
            ["tests", "suite"]
        );
    }

    #[test]
    #[cfg(feature = "python")]
    fn a_package_is_a_folder() {
        assert_eq!(
            module_path("python", "src/pkg/sub/__init__.py"),
            ["pkg", "sub"]
        );
        assert_eq!(module_path("python", "pkg/mod.py"), ["pkg", "mod"]);
    }

    #[test]
    #[cfg(feature = "java")]
    fn a_java_package_begins_below_its_source_folder() {
        assert_eq!(
            module_path("java", "src/main/java/com/x/Y.java"),
            ["com", "x", "Y"]
        );
    }

    #[test]
    #[cfg(feature = "json")]
    fn no_module_contains_data() {
        assert!(module_path("json", "src/a/b.json").is_empty());
    }

    #[test]
    fn sources_and_indexes_are_left_out() {
        assert_eq!(module_path("?", "src/a/index.x"), ["a"]);
        assert_eq!(module_path("?", "./web/src/b.test.x"), ["b"]);
        assert_eq!(module_path("?", ".x"), [".x"]);
        assert!(module_path("?", "").is_empty());
    }
}
