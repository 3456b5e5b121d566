//! The language of a cell of code: its first line or its metadata may name another one than that of
//! the notebook.

/// The names that say in which language a cell is, in lower case, and that language. Others, such
/// as `time`, run the cell in the language of the notebook.
const NAMES: &[(&str, &str)] = &[
    ("bash", "bash"),
    ("bigquery", "sql"),
    ("bq", "sql"),
    ("c", "c"),
    ("c++", "cpp"),
    ("cmd", "batch"),
    ("cpp", "cpp"),
    ("csharp", "csharp"),
    ("css", "css"),
    ("cypher", "cypher"),
    ("cython", "cython"),
    ("fortran", "fortran"),
    ("fsharp", "fsharp"),
    ("go", "go"),
    ("graphql", "graphql"),
    ("haskell", "haskell"),
    ("html", "html"),
    ("java", "java"),
    ("javascript", "javascript"),
    ("js", "javascript"),
    ("json", "json"),
    ("julia", "julia"),
    ("kotlin", "kotlin"),
    ("latex", "latex"),
    ("lua", "lua"),
    ("markdown", "markdown"),
    ("matlab", "matlab"),
    ("md", "markdown"),
    ("mermaid", "mermaid"),
    ("node", "javascript"),
    ("octave", "octave"),
    ("perl", "perl"),
    ("php", "php"),
    ("powershell", "powershell"),
    ("pwsh", "powershell"),
    ("pypy", "python"),
    ("pyspark", "python"),
    ("python", "python"),
    ("r", "r"),
    ("rscript", "r"),
    ("ruby", "ruby"),
    ("rust", "rust"),
    ("scala", "scala"),
    ("sh", "bash"),
    ("shellscript", "bash"),
    ("spark", "scala"),
    ("sparkr", "r"),
    ("sparksql", "sql"),
    ("sparql", "sparql"),
    ("sql", "sql"),
    ("svg", "svg"),
    ("ts", "typescript"),
    ("typescript", "typescript"),
    ("xml", "xml"),
    ("yaml", "yaml"),
    ("zsh", "bash"),
];

/// The options of `%%script` that have a value.
const WITH_VALUE: [&str; 3] = ["--err", "--out", "--proc"];

/// What the first line of a cell says about its language.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Named {
    /// It is in this one.
    Language(String),
    /// It is a text of an unknown language.
    Text,
    /// Nothing.
    Nothing,
}

/// The language that the first line of a cell names: `%%bash`, `%%script node`, `%%writefile a.js`,
/// `#!fsharp`, or `%sql` alone on its line.
pub(super) fn named(cell: &str) -> Named {
    let mut lines = cell.trim_start().lines();
    let first = lines.next().unwrap_or_default().trim_end();
    let (magic, arguments) = first.split_once([' ', '\t']).unwrap_or((first, ""));
    if let Some(name) = magic.strip_prefix("%%") {
        return match name {
            "script" => program(arguments).map_or(Named::Nothing, Named::Language),
            "file" | "writefile" => written(arguments),
            name => known(name).map_or(Named::Nothing, Named::Language),
        };
    }
    let language = match magic.strip_prefix("#!") {
        Some(name) => program(&first[2..]).or_else(|| known(name)),
        None => {
            let name = magic.strip_prefix('%').filter(|_| arguments.is_empty());
            name.filter(|_| lines.next().is_some()).and_then(known)
        }
    };
    language.map_or(Named::Nothing, Named::Language)
}

/// The language with a name, which may have a version at its end: `python3`.
pub(super) fn known(name: &str) -> Option<String> {
    let name = name.trim().to_lowercase();
    let bare = name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
    let found = NAMES
        .iter()
        .find(|(known, _)| *known == name || *known == bare);
    found.map(|(_, language)| language.to_string())
}

/// The language of the program that a command runs.
fn program(command: &str) -> Option<String> {
    let mut words = command.split_whitespace();
    while let Some(word) = words.next() {
        if WITH_VALUE.contains(&word) {
            words.next();
        } else if !word.starts_with('-') {
            let program = word.rsplit(['/', '\\']).next()?;
            if program != "env" {
                return known(program.strip_suffix(".exe").unwrap_or(program));
            }
        }
    }
    None
}

/// The language of a file that a cell writes, as the ending of its name.
fn written(arguments: &str) -> Named {
    let mut words = arguments.split_whitespace();
    let path = words.find(|word| !word.starts_with('-'));
    let path = path.unwrap_or_default().trim_matches(['"', '\'']);
    let name = path.rsplit(['/', '\\']).next().unwrap_or_default();
    let name = name.to_lowercase();
    let ending = name.rsplit_once('.').map(|(_, ending)| ending);
    let is_word = |ending: &&str| !ending.is_empty() && ending.chars().all(char::is_alphanumeric);
    match (ending.filter(is_word), &*name) {
        (Some("py" | "pyw"), _) => Named::Language("python".to_string()),
        (Some(ending), _) => Named::Language(known(ending).unwrap_or_else(|| ending.to_string())),
        (None, "dockerfile" | "makefile") => Named::Language(name),
        (None, _) => Named::Text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_line_names_the_language() {
        for (cell, language) in [
            ("%%bash\nls", "bash"),
            ("\n%%sh -e\nls", "bash"),
            ("%%HTML\n<p>", "html"),
            ("%%R -i data\nplot(data)", "r"),
            ("%%python3\nprint()", "python"),
            ("%%bigquery frame --project x\nselect 1", "sql"),
            ("%%script --bg --out log node\nlet a", "javascript"),
            ("%%script /usr/bin/env perl -w\nprint", "perl"),
            ("%%writefile -a 'src/Main.JS'\nlet a", "javascript"),
            ("%%writefile tide.py\nimport os", "python"),
            ("%%file pump.toml\na = 1", "toml"),
            ("%%writefile Dockerfile\nFROM x", "dockerfile"),
            ("#!fsharp\nlet a = 1", "fsharp"),
            ("#!/bin/bash\nls", "bash"),
            ("%sql\nselect 1", "sql"),
        ] {
            assert_eq!(named(cell), Named::Language(language.to_string()), "{cell}");
        }
    }

    #[test]
    fn other_lines_name_none() {
        for cell in [
            "",
            "%%time\nrun()",
            "%%capture out\nrun()",
            // It is not run.
            "%%script false --no-raise-error\nrun()",
            "%sql select 1\nrun()",
            "%sql",
            "%matplotlib inline\nrun()",
            "#!import a.cs",
            "# %%bash",
            "run()\n%%bash",
        ] {
            assert_eq!(named(cell), Named::Nothing, "{cell}");
        }
        assert_eq!(named("%%writefile notes\nTea"), Named::Text);
    }
}
