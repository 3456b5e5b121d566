//! The languages: one row each. To add a language, write a row and the folder `languages/<name>`.

use std::sync::OnceLock;

use crate::grammar::Grammar;

/// A language.
#[derive(Debug)]
pub(crate) struct Language {
    /// The name, in lower case; also the name of its folder.
    pub(crate) name: &'static str,
    /// Other names, as used after a fence.
    pub(crate) aliases: &'static [&'static str],
    /// File extensions, without the dot.
    pub(crate) endings: &'static [&'static str],
    /// Exact file names.
    pub(crate) files: &'static [&'static str],
    /// The programs that run it, without their version.
    pub(crate) interpreters: &'static [&'static str],
    /// The start of a comment that ends with its line; empty if there is none.
    pub(crate) line_comment: &'static str,
    /// How paths stand for modules; `None` for data and pages, which no module contains.
    pub(crate) modules: Option<Modules>,
    make: fn() -> Grammar,
    made: &'static OnceLock<Grammar>,
}

impl Language {
    /// The grammar that reads it.
    pub(crate) fn grammar(&self) -> &Grammar {
        self.made.get_or_init(self.make)
    }

    /// The language with the name or alias `name`, in any case.
    pub(crate) fn named(name: &str) -> Option<&'static Language> {
        let same = |known: &str| known.eq_ignore_ascii_case(name);
        let mut languages = LANGUAGES.iter();
        languages.find(|language| {
            same(language.name) || language.aliases.iter().any(|alias| same(alias))
        })
    }
}

/// How the path of a file stands for a module.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Modules {
    /// The folders in which modules begin.
    pub(crate) roots: &'static [&'static str],
    /// Whether the folder before a root stands for the outermost module.
    pub(crate) package: bool,
    /// The names of files that stand for their folder.
    pub(crate) stems: &'static [&'static str],
}

/// How paths stand for modules by default.
pub(crate) const PLAIN: Modules = Modules {
    roots: &["src", "lib"],
    package: false,
    stems: &["index"],
};
#[cfg(feature = "rust")]
const RUST: Modules = Modules {
    roots: &["src"],
    package: true,
    stems: &["lib", "main", "mod"],
};
#[cfg(feature = "python")]
const PYTHON: Modules = Modules {
    roots: &["src"],
    package: false,
    stems: &["__init__", "__main__"],
};
#[cfg(any(feature = "java", feature = "kotlin", feature = "scala"))]
const JVM: Modules = Modules {
    roots: &["java", "kotlin", "scala", "src"],
    package: false,
    stems: &[],
};

/// A file extension that two languages share.
#[derive(Debug)]
pub(crate) struct Contested {
    pub(crate) ending: &'static str,
    /// The language if a line of the text begins with one of the marks, ignoring white space.
    pub(crate) language: &'static str,
    pub(crate) marks: &'static [&'static str],
}

/// The extensions that two languages share.
pub(crate) const CONTESTED: &[Contested] = &[Contested {
    ending: "h",
    language: "cpp",
    marks: &[
        "class ",
        "template<",
        "template <",
        "namespace ",
        "using ",
        "public:",
        "private:",
        "protected:",
        "#include <string>",
        "#include <vector>",
        "#include <memory>",
        "constexpr ",
        "virtual ",
    ],
}];

/// All languages of this build.
pub(crate) static LANGUAGES: &[Language] = &[
    #[cfg(feature = "rust")]
    Language {
        name: "rust",
        aliases: &["rs"],
        endings: &["rs"],
        files: &[],
        interpreters: &["rust-script"],
        line_comment: "//",
        modules: Some(RUST),
        make: || {
            let table = tree_sitter_rust::LANGUAGE.into();
            Grammar::new(table, include_str!("../languages/rust/outline.kinds"))
        },
        made: {
            static MADE: OnceLock<Grammar> = OnceLock::new();
            &MADE
        },
    },
    #[cfg(feature = "python")]
    Language {
        name: "python",
        aliases: &["py", "python3", "py3", "pyi", "starlark", "bazel"],
        endings: &["py", "pyi", "pyw", "bzl", "star"],
        files: &[
            "BUILD",
            "BUILD.bazel",
            "WORKSPACE",
            "WORKSPACE.bazel",
            "SConstruct",
            "SConscript",
            "wscript",
            "Tiltfile",
        ],
        interpreters: &["python", "pypy"],
        line_comment: "#",
        modules: Some(PYTHON),
        make: || {
            let table = tree_sitter_python::LANGUAGE.into();
            Grammar::new(table, include_str!("../languages/python/outline.kinds"))
        },
        made: {
            static MADE: OnceLock<Grammar> = OnceLock::new();
            &MADE
        },
    },
    #[cfg(feature = "typescript")]
    Language {
        name: "typescript",
        aliases: &["ts", "mts", "cts"],
        endings: &["ts", "mts", "cts"],
        files: &[],
        interpreters: &["ts-node", "deno", "bun", "tsx"],
        line_comment: "//",
        modules: Some(PLAIN),
        make: || {
            let table = tree_sitter_typescript::LANGUAGE_TYPESCRIPT.into();
            Grammar::new(table, include_str!("../languages/typescript/outline.kinds"))
        },
        made: {
            static MADE: OnceLock<Grammar> = OnceLock::new();
            &MADE
        },
    },
    #[cfg(feature = "typescript")]
    Language {
        name: "tsx",
        aliases: &[],
        endings: &["tsx"],
        files: &[],
        interpreters: &[],
        line_comment: "//",
        modules: Some(PLAIN),
        make: || {
            let table = tree_sitter_typescript::LANGUAGE_TSX.into();
            Grammar::new(table, include_str!("../languages/tsx/outline.kinds"))
        },
        made: {
            static MADE: OnceLock<Grammar> = OnceLock::new();
            &MADE
        },
    },
    #[cfg(feature = "javascript")]
    Language {
        name: "javascript",
        aliases: &["js", "jsx", "node", "mjs", "cjs", "ecmascript"],
        endings: &["js", "mjs", "cjs", "jsx", "es6"],
        files: &["Jakefile"],
        interpreters: &["node", "nodejs"],
        line_comment: "//",
        modules: Some(PLAIN),
        make: || {
            let table = tree_sitter_javascript::LANGUAGE.into();
            Grammar::new(table, include_str!("../languages/javascript/outline.kinds"))
        },
        made: {
            static MADE: OnceLock<Grammar> = OnceLock::new();
            &MADE
        },
    },
    #[cfg(feature = "go")]
    Language {
        name: "go",
        aliases: &["golang"],
        endings: &["go"],
        files: &[],
        interpreters: &[],
        line_comment: "//",
        modules: Some(PLAIN),
        make: || {
            let table = tree_sitter_go::LANGUAGE.into();
            Grammar::new(table, include_str!("../languages/go/outline.kinds"))
        },
        made: {
            static MADE: OnceLock<Grammar> = OnceLock::new();
            &MADE
        },
    },
    #[cfg(feature = "java")]
    Language {
        name: "java",
        aliases: &[],
        endings: &["java"],
        files: &[],
        interpreters: &[],
        line_comment: "//",
        modules: Some(JVM),
        make: || {
            let table = tree_sitter_java::LANGUAGE.into();
            Grammar::new(table, include_str!("../languages/java/outline.kinds"))
        },
        made: {
            static MADE: OnceLock<Grammar> = OnceLock::new();
            &MADE
        },
    },
    #[cfg(feature = "c")]
    Language {
        name: "c",
        aliases: &["h"],
        endings: &["c", "h"],
        files: &[],
        interpreters: &["tcc"],
        line_comment: "//",
        modules: Some(PLAIN),
        make: || {
            let table = tree_sitter_c::LANGUAGE.into();
            Grammar::new(table, include_str!("../languages/c/outline.kinds"))
        },
        made: {
            static MADE: OnceLock<Grammar> = OnceLock::new();
            &MADE
        },
    },
    #[cfg(feature = "cpp")]
    Language {
        name: "cpp",
        aliases: &["c++", "cxx", "cc", "hpp", "cuda", "arduino"],
        endings: &[
            "cpp", "cc", "cxx", "c++", "hpp", "hh", "hxx", "h++", "ipp", "tpp", "inl", "cu", "cuh",
            "ino",
        ],
        files: &[],
        interpreters: &[],
        line_comment: "//",
        modules: Some(PLAIN),
        make: || {
            let table = tree_sitter_cpp::LANGUAGE.into();
            Grammar::new(table, include_str!("../languages/cpp/outline.kinds"))
        },
        made: {
            static MADE: OnceLock<Grammar> = OnceLock::new();
            &MADE
        },
    },
    #[cfg(feature = "ruby")]
    Language {
        name: "ruby",
        aliases: &["rb"],
        endings: &["rb", "rake", "gemspec", "ru", "podspec", "rbi"],
        files: &[
            "Rakefile",
            "Gemfile",
            "Guardfile",
            "Vagrantfile",
            "Podfile",
            "Fastfile",
            "Brewfile",
            "Capfile",
            "Berksfile",
            "Dangerfile",
            "Appraisals",
            ".irbrc",
            ".pryrc",
        ],
        interpreters: &["ruby", "jruby", "rake"],
        line_comment: "#",
        modules: Some(PLAIN),
        make: || {
            let table = tree_sitter_ruby::LANGUAGE.into();
            Grammar::new(table, include_str!("../languages/ruby/outline.kinds"))
        },
        made: {
            static MADE: OnceLock<Grammar> = OnceLock::new();
            &MADE
        },
    },
    #[cfg(feature = "php")]
    Language {
        name: "php",
        aliases: &["php5", "php7", "php8"],
        endings: &["php", "php3", "php4", "php5", "phtml"],
        files: &[],
        interpreters: &["php"],
        line_comment: "//",
        modules: Some(PLAIN),
        make: || {
            let table = tree_sitter_php::LANGUAGE_PHP.into();
            Grammar::new(table, include_str!("../languages/php/outline.kinds"))
        },
        made: {
            static MADE: OnceLock<Grammar> = OnceLock::new();
            &MADE
        },
    },
    #[cfg(feature = "swift")]
    Language {
        name: "swift",
        aliases: &[],
        endings: &["swift"],
        files: &[],
        interpreters: &["swift"],
        line_comment: "//",
        modules: Some(PLAIN),
        make: || {
            let table = tree_sitter_swift::LANGUAGE.into();
            Grammar::new(table, include_str!("../languages/swift/outline.kinds"))
        },
        made: {
            static MADE: OnceLock<Grammar> = OnceLock::new();
            &MADE
        },
    },
    #[cfg(feature = "kotlin")]
    Language {
        name: "kotlin",
        aliases: &["kt", "kts"],
        endings: &["kt", "kts"],
        files: &[],
        interpreters: &["kotlin"],
        line_comment: "//",
        modules: Some(JVM),
        make: || {
            let table = tree_sitter_kotlin_ng::LANGUAGE.into();
            Grammar::new(table, include_str!("../languages/kotlin/outline.kinds"))
        },
        made: {
            static MADE: OnceLock<Grammar> = OnceLock::new();
            &MADE
        },
    },
    #[cfg(feature = "csharp")]
    Language {
        name: "csharp",
        aliases: &["c#", "cs", "dotnet"],
        endings: &["cs", "csx"],
        files: &[],
        interpreters: &["dotnet-script"],
        line_comment: "//",
        modules: Some(PLAIN),
        make: || {
            let table = tree_sitter_c_sharp::LANGUAGE.into();
            Grammar::new(table, include_str!("../languages/csharp/outline.kinds"))
        },
        made: {
            static MADE: OnceLock<Grammar> = OnceLock::new();
            &MADE
        },
    },
    #[cfg(feature = "bash")]
    Language {
        name: "bash",
        aliases: &["sh", "shell", "zsh", "ksh", "shellscript", "shell-script"],
        endings: &["sh", "bash", "zsh", "ksh", "ash", "ebuild", "eclass"],
        files: &[
            ".bashrc",
            ".bash_profile",
            ".bash_aliases",
            ".bash_logout",
            ".bash_login",
            ".profile",
            ".zshrc",
            ".zprofile",
            ".zshenv",
            ".zlogin",
            ".zlogout",
            ".kshrc",
            "PKGBUILD",
            "APKBUILD",
        ],
        interpreters: &["sh", "bash", "zsh", "dash", "ash", "ksh"],
        line_comment: "#",
        modules: Some(PLAIN),
        make: || {
            let table = tree_sitter_bash::LANGUAGE.into();
            Grammar::new(table, include_str!("../languages/bash/outline.kinds"))
        },
        made: {
            static MADE: OnceLock<Grammar> = OnceLock::new();
            &MADE
        },
    },
    #[cfg(feature = "lua")]
    Language {
        name: "lua",
        aliases: &["luau", "luajit"],
        endings: &["lua", "rockspec", "wlua"],
        files: &[".luacheckrc"],
        interpreters: &["lua", "luajit", "luau"],
        line_comment: "--",
        modules: Some(PLAIN),
        make: || {
            let table = tree_sitter_lua::LANGUAGE.into();
            Grammar::new(table, include_str!("../languages/lua/outline.kinds"))
        },
        made: {
            static MADE: OnceLock<Grammar> = OnceLock::new();
            &MADE
        },
    },
    #[cfg(feature = "scala")]
    Language {
        name: "scala",
        aliases: &["sc", "sbt"],
        endings: &["scala", "sc", "sbt"],
        files: &[],
        interpreters: &["scala", "scala-cli"],
        line_comment: "//",
        modules: Some(JVM),
        make: || {
            let table = tree_sitter_scala::LANGUAGE.into();
            Grammar::new(table, include_str!("../languages/scala/outline.kinds"))
        },
        made: {
            static MADE: OnceLock<Grammar> = OnceLock::new();
            &MADE
        },
    },
    #[cfg(feature = "elixir")]
    Language {
        name: "elixir",
        aliases: &["ex", "exs"],
        endings: &["ex", "exs"],
        files: &["mix.lock"],
        interpreters: &["elixir"],
        line_comment: "#",
        modules: Some(PLAIN),
        make: || {
            let table = tree_sitter_elixir::LANGUAGE.into();
            Grammar::new(table, include_str!("../languages/elixir/outline.kinds"))
        },
        made: {
            static MADE: OnceLock<Grammar> = OnceLock::new();
            &MADE
        },
    },
    #[cfg(feature = "zig")]
    Language {
        name: "zig",
        aliases: &["zon"],
        endings: &["zig", "zon"],
        files: &[],
        interpreters: &[],
        line_comment: "//",
        modules: Some(PLAIN),
        make: || {
            let table = tree_sitter_zig::LANGUAGE.into();
            Grammar::new(table, include_str!("../languages/zig/outline.kinds"))
        },
        made: {
            static MADE: OnceLock<Grammar> = OnceLock::new();
            &MADE
        },
    },
    #[cfg(feature = "sql")]
    Language {
        name: "sql",
        aliases: &[
            "postgresql",
            "postgres",
            "psql",
            "mysql",
            "sqlite",
            "plsql",
            "tsql",
            "mariadb",
            "ddl",
        ],
        endings: &["sql", "ddl", "psql", "pgsql", "mysql"],
        files: &[],
        interpreters: &[],
        line_comment: "--",
        modules: None,
        make: || {
            let table = tree_sitter_sequel::LANGUAGE.into();
            Grammar::new(table, include_str!("../languages/sql/outline.kinds"))
        },
        made: {
            static MADE: OnceLock<Grammar> = OnceLock::new();
            &MADE
        },
    },
    #[cfg(feature = "hcl")]
    Language {
        name: "hcl",
        aliases: &["terraform", "tf", "tfvars", "nomad"],
        endings: &["hcl", "tf", "tfvars", "nomad"],
        files: &[],
        interpreters: &[],
        line_comment: "#",
        modules: None,
        make: || {
            let table = tree_sitter_hcl::LANGUAGE.into();
            Grammar::new(table, include_str!("../languages/hcl/outline.kinds"))
        },
        made: {
            static MADE: OnceLock<Grammar> = OnceLock::new();
            &MADE
        },
    },
    #[cfg(feature = "make")]
    Language {
        name: "make",
        aliases: &["makefile", "mk", "gnumake"],
        endings: &["mk", "make"],
        files: &[
            "Makefile",
            "GNUmakefile",
            "makefile",
            "Makefile.am",
            "Makefile.in",
            "Kbuild",
        ],
        interpreters: &["make"],
        line_comment: "#",
        modules: None,
        make: || {
            let table = tree_sitter_make::LANGUAGE.into();
            Grammar::new(table, include_str!("../languages/make/outline.kinds"))
        },
        made: {
            static MADE: OnceLock<Grammar> = OnceLock::new();
            &MADE
        },
    },
    #[cfg(feature = "dockerfile")]
    Language {
        name: "dockerfile",
        aliases: &["docker", "containerfile"],
        endings: &["dockerfile", "containerfile"],
        files: &["Dockerfile", "Containerfile"],
        interpreters: &[],
        line_comment: "#",
        modules: None,
        make: || {
            let table = tree_sitter_containerfile::LANGUAGE.into();
            Grammar::new(table, include_str!("../languages/dockerfile/outline.kinds"))
        },
        made: {
            static MADE: OnceLock<Grammar> = OnceLock::new();
            &MADE
        },
    },
    #[cfg(feature = "json")]
    Language {
        name: "json",
        aliases: &["jsonc", "jsonl", "ndjson", "geojson", "json5"],
        endings: &[
            "json",
            "jsonc",
            "jsonl",
            "ndjson",
            "geojson",
            "topojson",
            "webmanifest",
            "har",
            "ipynb",
            "code-workspace",
            "avsc",
        ],
        files: &[
            ".babelrc",
            ".eslintrc",
            ".jshintrc",
            ".swcrc",
            ".prettierrc",
            ".watchmanconfig",
            "composer.lock",
            "Pipfile.lock",
            "flake.lock",
            "deno.lock",
            "bun.lock",
            "Package.resolved",
        ],
        interpreters: &[],
        line_comment: "//",
        modules: None,
        make: || {
            let table = tree_sitter_json::LANGUAGE.into();
            Grammar::new(table, include_str!("../languages/json/outline.kinds"))
        },
        made: {
            static MADE: OnceLock<Grammar> = OnceLock::new();
            &MADE
        },
    },
    #[cfg(feature = "yaml")]
    Language {
        name: "yaml",
        aliases: &["yml"],
        endings: &["yaml", "yml"],
        files: &[
            ".clang-format",
            ".clang-tidy",
            ".clangd",
            ".yamllint",
            "pubspec.lock",
            "pnpm-lock.yaml",
            "Chart.lock",
        ],
        interpreters: &[],
        line_comment: "#",
        modules: None,
        make: || {
            let table = tree_sitter_yaml::LANGUAGE.into();
            Grammar::new(table, include_str!("../languages/yaml/outline.kinds"))
        },
        made: {
            static MADE: OnceLock<Grammar> = OnceLock::new();
            &MADE
        },
    },
    #[cfg(feature = "toml")]
    Language {
        name: "toml",
        aliases: &[],
        endings: &["toml"],
        files: &[
            "Cargo.lock",
            "poetry.lock",
            "uv.lock",
            "pdm.lock",
            "Pipfile",
        ],
        interpreters: &[],
        line_comment: "#",
        modules: None,
        make: || {
            let table = tree_sitter_toml_ng::LANGUAGE.into();
            Grammar::new(table, include_str!("../languages/toml/outline.kinds"))
        },
        made: {
            static MADE: OnceLock<Grammar> = OnceLock::new();
            &MADE
        },
    },
    #[cfg(feature = "html")]
    Language {
        name: "html",
        aliases: &["htm", "xhtml"],
        endings: &["html", "htm", "xhtml"],
        files: &[],
        interpreters: &[],
        line_comment: "",
        modules: None,
        make: || {
            let table = tree_sitter_html::LANGUAGE.into();
            Grammar::new(table, include_str!("../languages/html/outline.kinds"))
        },
        made: {
            static MADE: OnceLock<Grammar> = OnceLock::new();
            &MADE
        },
    },
    #[cfg(feature = "css")]
    Language {
        name: "css",
        aliases: &[],
        endings: &["css"],
        files: &[],
        interpreters: &[],
        line_comment: "",
        modules: None,
        make: || {
            let table = tree_sitter_css::LANGUAGE.into();
            Grammar::new(table, include_str!("../languages/css/outline.kinds"))
        },
        made: {
            static MADE: OnceLock<Grammar> = OnceLock::new();
            &MADE
        },
    },
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_grammars_know_every_word_of_the_knowledge_files() {
        let faults = |language: &'static Language| {
            let faults = &language.grammar().knowledge.faults;
            faults
                .iter()
                .map(|line| format!("{}: {line}\n", language.name))
        };
        assert_eq!(LANGUAGES.iter().flat_map(faults).collect::<String>(), "");
    }

    #[test]
    fn names_are_unique() {
        let names = |language: &'static Language| {
            std::iter::once(language.name).chain(language.aliases.iter().copied())
        };
        let mut all: Vec<&str> = LANGUAGES.iter().flat_map(names).collect();
        all.sort_unstable();
        let count = all.len();
        all.dedup();
        assert_eq!(all.len(), count);
    }
}
