//! The code of a crate without its tests and comments, for tests of what it names.

use std::fs;
use std::path::{Path, PathBuf};

/// The sources below `src`, each with its path there and its code. Modules for tests are left out.
pub(crate) fn sources(src: &Path) -> Vec<(String, String)> {
    let mut files = Vec::new();
    collect(src, &mut files);
    let texts = files.into_iter().map(|path| {
        let text = fs::read_to_string(&path).unwrap();
        let path = path.strip_prefix(src).unwrap();
        (path.to_str().unwrap().replace('\\', "/"), own(&text))
    });
    let mut texts: Vec<_> = texts.collect();
    let for_tests: Vec<String> = texts.iter().flat_map(modules_for_tests).collect();
    texts.retain(|(path, _)| !for_tests.contains(path));
    texts
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        match path.is_dir() {
            true => collect(&path, files),
            false => files.push(path),
        }
    }
}

/// A text up to the module `tests` in it, without comments. There may be other attributes between
/// `#[cfg(test)]` and the module, over several lines.
pub(crate) fn own(text: &str) -> String {
    let lines: Vec<&str> = text.lines().collect();
    let is_item = |line: &&&str| !line.is_empty() && !line.starts_with(['#', ' ', ')', '/']);
    let is_end = |at: &usize| {
        let item = lines[*at..].iter().find(is_item);
        lines[*at] == "#[cfg(test)]" && item.is_some_and(|item| item.starts_with("mod tests {"))
    };
    let end = (0..lines.len()).find(is_end).unwrap_or(lines.len());
    let own = lines[..end].iter();
    let own = own.filter(|line| !line.trim_start().starts_with("//"));
    own.map(|line| format!("{line}\n")).collect()
}

/// The files of the modules that a file declares for tests only.
fn modules_for_tests((path, text): &(String, String)) -> Vec<String> {
    let folder = match path.rsplit_once('/') {
        Some((folder, "mod.rs")) => format!("{folder}/"),
        Some((folder, name)) => format!("{folder}/{}/", name.trim_end_matches(".rs")),
        None => String::new(),
    };
    let declared = text.split("#[cfg(test)]\n").skip(1);
    let names = declared.filter_map(|rest| {
        let line = rest.lines().next()?;
        let name = line.strip_suffix(';')?.split_once("mod ")?.1;
        Some(format!("{folder}{name}.rs"))
    });
    names.collect()
}
