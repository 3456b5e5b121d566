//! The help and the documents: every command and flag is in the help, and the short help fits a screen.

use crate::fixture::Project;

const COMMANDS: [&str; 9] = [
    "search", "chunk", "sync", "status", "get", "list", "mcp", "eval", "doctor",
];

/// The lines of a short help that name a flag, but for the help itself.
fn flags(help: &str) -> Vec<&str> {
    let names = help
        .lines()
        .filter_map(|line| line.trim_start().split_once("--"));
    let names = names.filter(|(before, _)| before.is_empty() || before.starts_with('-'));
    let names = names.map(|(_, rest)| rest.split(' ').next().unwrap());
    names.filter(|name| *name != "help").collect()
}

#[test]
fn the_short_help_fits_a_screen() {
    let project = Project::new();
    for command in COMMANDS {
        let help = project.run(&[command, "-h"]).ok().stdout;
        assert!(help.lines().count() <= 30, "{command}: {help}");
        let flags = flags(&help);
        assert!((1..=8).contains(&flags.len()), "{command}: {flags:?}");
    }
}

#[test]
fn every_field_of_a_configuration_is_a_flag_of_chunk() {
    let project = Project::new();
    let help = project.run(&["chunk", "--help"]).ok().stdout;
    let fields = serde_json::to_value(excerpt_chunk::Config::default()).unwrap();
    for field in fields.as_object().unwrap().keys() {
        let flag = format!("--{}", field.replace('_', "-"));
        assert!(help.contains(&flag), "{flag}");
    }
}

#[test]
fn the_program_names_its_commands() {
    let project = Project::new();
    let help = project.run(&["--help"]).ok().stdout;
    for command in COMMANDS {
        assert!(help.contains(&format!("  {command} ")), "{command}: {help}");
    }
    assert_eq!(project.run(&[]).code, Some(2));
}
