//! The user's editor.

use std::ffi::OsString;
use std::path::Path;
use std::process::Command;

use anyhow::{Context as _, bail};

/// Opens `file` at `line`, from 1, in the program that `VISUAL` or `EDITOR` names, and waits for it
/// to end.
pub(super) fn open(file: &Path, line: usize) -> anyhow::Result<()> {
    let named = ["VISUAL", "EDITOR"]
        .into_iter()
        .filter_map(std::env::var_os);
    let Some(editor) = named.into_iter().find(|editor| !editor.is_empty()) else {
        bail!("no editor is set: set `VISUAL` or `EDITOR`");
    };
    let editor = editor.to_string_lossy();
    let mut words = editor.split_whitespace();
    let program = words.next().unwrap_or_default();
    let status = Command::new(program)
        .args(words)
        .args(arguments(program, file, line))
        .status()
        .with_context(|| format!("cannot start the editor `{program}`"))?;
    match status.success() {
        true => Ok(()),
        false => bail!("the editor `{program}` ended with {status}"),
    }
}

/// The arguments that open a file at a line in `program`.
fn arguments(program: &str, file: &Path, line: usize) -> Vec<OsString> {
    let name = Path::new(program).file_stem().unwrap_or_default();
    let with_line = || {
        let mut argument = OsString::from(file);
        argument.push(format!(":{line}"));
        argument
    };
    match name.to_str().unwrap_or_default() {
        "code" | "codium" | "code-insiders" | "cursor" | "windsurf" => {
            vec!["--goto".into(), with_line()]
        }
        "hx" | "helix" | "subl" | "zed" | "micro" => vec![with_line()],
        "idea" | "pycharm" | "rustrover" | "clion" | "goland" | "webstorm" => {
            vec!["--line".into(), line.to_string().into(), file.into()]
        }
        // vi and its relatives, emacs, nano, kak, joe.
        "vi" | "vim" | "nvim" | "gvim" | "emacs" | "emacsclient" | "nano" | "kak" | "joe"
        | "mg" => {
            vec![format!("+{line}").into(), file.into()]
        }
        _ => vec![file.into()],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_editor_gets_the_line_in_its_own_syntax() {
        let asked = |program: &str| {
            let arguments = arguments(program, Path::new("/a b.md"), 7);
            arguments
                .into_iter()
                .map(|word| word.into_string().unwrap())
                .collect::<Vec<_>>()
        };
        assert_eq!(asked("/usr/bin/nvim"), ["+7", "/a b.md"]);
        assert_eq!(asked("code"), ["--goto", "/a b.md:7"]);
        assert_eq!(asked("hx"), ["/a b.md:7"]);
        assert_eq!(asked("idea.sh"), ["--line", "7", "/a b.md"]);
        assert_eq!(asked("ed"), ["/a b.md"]);
    }
}
