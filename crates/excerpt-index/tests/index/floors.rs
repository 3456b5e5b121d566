//! The folders of the crate are floors: each imports only from those below it. Read from the `use`
//! declarations and paths of the sources, without their tests.

use std::path::Path;

use crate::own_code;

/// From the ground up.
const FLOORS: [&str; 16] = [
    "model", "cores", "fs", "analysis", "endpoint", "embed", "source", "store", "library", "read",
    "mirror", "rerank", "search", "sync", "index", "eval",
];

/// What no file outside of the local store may name, and the one that uses it as a library of
/// tokenizers.
const ENGINES: [&str; 2] = ["rusqlite::", "tantivy::"];
const TOKENIZERS: &str = "analysis/stems.rs";

fn sources() -> Vec<(String, String)> {
    own_code::sources(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src"))
}

#[test]
fn code_ends_where_its_tests_begin_and_has_no_comments() {
    let code = "use a;\n#[cfg(test)]\nmod fixture;\nfn b() {}\n";
    let comment = "// crate::no\n";
    let attributes = [
        "",
        "#[allow(c)]\n",
        "#[expect(\n    c,\n    reason = \"d\"\n)]\n",
    ];
    for attribute in attributes {
        let tests = format!("#[cfg(test)]\n{attribute}mod tests {{\n    use crate::no;\n}}\n");
        assert_eq!(own_code::own(&format!("{comment}{code}{tests}")), code);
    }
}

#[test]
fn each_folder_is_a_floor() {
    for (path, _) in sources() {
        let folder = path.split_once('/').map(|(folder, _)| folder);
        let is_known = folder.is_none_or(|folder| FLOORS.contains(&folder));
        assert!(is_known && (folder.is_some() || path == "lib.rs"), "{path}");
    }
}

#[test]
fn imports_run_down() {
    let floor = |name: &str| FLOORS.iter().position(|floor| *floor == name);
    let mut up = Vec::new();
    for (path, text) in sources() {
        let Some((folder, _)) = path.split_once('/') else {
            continue;
        };
        for line in text.lines() {
            for import in line.split("crate::").skip(1) {
                let name = import.split(|c: char| !c.is_alphanumeric() && c != '_');
                let name = name.into_iter().next().unwrap_or_default();
                let is_down = floor(name) <= floor(folder) && floor(name).is_some();
                if !is_down {
                    up.push(format!("{path}: {line}"));
                }
            }
        }
    }
    assert!(up.is_empty(), "{}", up.join("\n"));
}

#[test]
fn engines_stay_in_the_local_store() {
    let mut outside = Vec::new();
    for (path, text) in sources() {
        if path.starts_with("store/local/") || path == TOKENIZERS {
            continue;
        }
        let mut named = text
            .lines()
            .filter(|line| ENGINES.iter().any(|name| line.contains(name)));
        outside.extend(named.next().map(|line| format!("{path}: {line}")));
    }
    assert!(outside.is_empty(), "{}", outside.join("\n"));
}
