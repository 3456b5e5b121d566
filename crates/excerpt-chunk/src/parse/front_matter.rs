//! Front matter: metadata between two marker lines at the very start of a document.

use serde_json::{Map, Value};

/// The maximum distance between the opening and the closing marker, in bytes. Longer blocks are
/// text.
const LONGEST: usize = 64 * 1024;

/// A front matter block.
pub(super) struct FrontMatter {
    /// Where the text after it begins.
    pub(super) end: usize,
    /// Its fields, in the order of their names.
    pub(super) fields: Map<String, Value>,
    /// Why the fields could not be read, if they could not.
    pub(super) fault: Option<String>,
}

/// The front matter of `text` at `start`: YAML between lines `---`, or TOML between lines `+++`.
///
/// A first line `---` is a horizontal rule rather than front matter if there is no second one, or
/// if the text between them is not a mapping.
pub(super) fn read(text: &str, start: usize) -> Option<FrontMatter> {
    let mut lines = text[start..].split_inclusive('\n');
    let opening = lines.next()?;
    let closing: &[&str] = match opening.trim_end() {
        "---" => &["---", "..."],
        "+++" => &["+++"],
        _ => return None,
    };
    let inner = start + opening.len();
    let mut end = inner;
    let last = lines.find(|line| {
        end += line.len();
        end - inner > LONGEST || closing.contains(&line.trim_end())
    })?;
    let block = &text[inner..end - last.len()];
    if end - inner > LONGEST || block.trim().is_empty() {
        return None;
    }
    let fields = match opening.trim_end() {
        "---" => format::yaml(block)?,
        _ => format::toml(block),
    };
    let (fields, fault) = match fields {
        Ok(fields) => (fields, None),
        Err(fault) => (Map::new(), Some(fault)),
    };
    Some(FrontMatter { end, fields, fault })
}

/// The formats of the fields.
#[cfg(feature = "front-matter")]
mod format {
    use serde_json::{Map, Number, Value};
    use toml::de::DeTable;

    use crate::parse::yaml;
    use crate::toml_value::json;

    /// The fields of a YAML block; `None` if it is not meant as YAML.
    pub(super) fn yaml(block: &str) -> Option<Result<Map<String, Value>, String>> {
        match yaml::value(block) {
            Ok(Value::Object(fields)) => Some(Ok(fields)),
            Ok(_) => None,
            Err(_) if super::looks_like_fields(block) => {
                Some(Err("the front matter is not valid YAML".to_string()))
            }
            Err(_) => None,
        }
    }

    /// The fields of a TOML block.
    pub(super) fn toml(block: &str) -> Result<Map<String, Value>, String> {
        let table = DeTable::parse(block)
            .map_err(|error| format!("the front matter is not valid TOML: {}", error.message()))?;
        let fields = table.get_ref().iter();
        Ok(fields
            .map(|(key, value)| (key.get_ref().to_string(), json(block, value, plain)))
            .collect())
    }

    /// A number that JSON writes in the same way: as in YAML, others are text.
    fn plain(written: &str) -> Option<Number> {
        let number: Option<Number> = written.parse().ok();
        number.filter(|number| number.to_string() == written)
    }
}

/// Without the formats, front matter is known by its form, and its fields are not.
#[cfg(not(feature = "front-matter"))]
mod format {
    use serde_json::{Map, Value};

    pub(super) fn yaml(block: &str) -> Option<Result<Map<String, Value>, String>> {
        super::looks_like_fields(block).then(|| toml(block))
    }

    pub(super) fn toml(_: &str) -> Result<Map<String, Value>, String> {
        Err("the front matter is not read: this build lacks the feature `front-matter`".to_string())
    }
}

/// Whether every line that is not indented, a comment or a list item has the form `name:`.
fn looks_like_fields(block: &str) -> bool {
    let mut top = block
        .lines()
        .filter(|line| !line.trim().is_empty() && !line.starts_with([' ', '\t', '#', '-']));
    top.all(|line| {
        let name = line.split(':').next().unwrap_or_default();
        name.len() < line.len() && !name.is_empty() && !name.contains([' ', '\t'])
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(feature = "front-matter")]
    #[test]
    fn yaml_and_toml_fields_are_read() {
        let yaml = read("---\ntitle: A: b\n---\nx", 0);
        assert!(yaml.is_some_and(|block| block.fault.is_some() && block.end == 20));
        let yaml = read("---\ntags: [a, b]\ndate: 2026-01-31\n...\nx", 0).unwrap();
        assert_eq!(yaml.fields["tags"], serde_json::json!(["a", "b"]));
        assert_eq!(yaml.fields["date"], "2026-01-31");
        let toml = "title = \"T\"\nweight = 3\ndraft = true\ndate = 2026-01-31T10:00:00Z\nversion = 1.10\nmode = 0o644\n\
            tags = [\"a\", 2]\nlimit = inf\nmenu.main = {day = 2026-02-01}\n";
        let toml = read(&format!("+++\n{toml}+++\n"), 0).unwrap();
        assert_eq!(
            Value::from(toml.fields),
            serde_json::json!({
                "title": "T",
                "weight": 3,
                "draft": true,
                "date": "2026-01-31T10:00:00Z",
                "version": "1.10",
                "mode": "0o644",
                "tags": ["a", 2],
                "limit": "inf",
                "menu": {"main": {"day": "2026-02-01"}},
            })
        );
    }

    #[cfg(not(feature = "front-matter"))]
    #[test]
    fn fields_that_are_not_read_are_reported() {
        for text in ["---\ntags: [a, b]\n---\nx", "+++\ntags = []\n+++\nx"] {
            let front = read(text, 0).unwrap();
            assert_eq!(&text[front.end..], "x");
            assert_eq!(
                front.fault.unwrap(),
                "the front matter is not read: this build lacks the feature `front-matter`"
            );
        }
    }

    #[test]
    fn a_leading_rule_is_no_front_matter() {
        assert!(read("---\n\nText.\n\n---\n", 0).is_none());
        assert!(read("---\nJust a line of prose.\n---\n", 0).is_none());
        assert!(read("---\ntitle: never closed\n", 0).is_none());
        assert!(read("---\n---\n", 0).is_none());
    }

    #[test]
    fn deep_nesting_is_refused_not_followed() {
        let deep = format!("---\na: {}\n---\n", "[".repeat(30_000));
        assert!(read(&deep, 0).is_some_and(|block| block.fault.is_some()));
        let toml = format!("+++\na = {}\n+++\n", "[".repeat(30_000));
        assert!(read(&toml, 0).is_some_and(|block| block.fault.is_some()));
    }
}
