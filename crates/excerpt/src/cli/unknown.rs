//! Answers a flag or command that only other tools have with the name of ours.

use clap::Command;
use clap::error::{ContextKind, ContextValue, Error, ErrorKind};
use excerpt_chunk::{fields_named, snake_case};
use excerpt_service::other_names::arguments;

/// Commands of other tools, and ours.
const COMMANDS: [(&str, &str); 11] = [
    ("add-resource", "add"),
    ("update", "edit"),
    ("index", "sync"),
    ("ingest", "sync"),
    ("query", "search"),
    ("find", "search"),
    ("preview", "chunk"),
    ("split", "chunk"),
    ("read", "get"),
    ("delete", "remove"),
    ("serve", "mcp"),
];

/// The names of the argument with the files or documents that a command is about.
const PLACES: [&str; 4] = ["path", "source", "targets", "target"];

/// The error with our name for what it found, if there is one.
pub(super) fn answered(mut error: Error, cli: &Command, given: &[String]) -> Error {
    let tip = match error.kind() {
        ErrorKind::UnknownArgument => {
            let mut given = given.iter().skip(1);
            let command = given.find_map(|given| cli.find_subcommand(given));
            text(&error, ContextKind::InvalidArg).and_then(|name| flag(command?, name))
        }
        ErrorKind::InvalidSubcommand => {
            let is_misspelt = error.get(ContextKind::SuggestedSubcommand).is_some();
            let name = text(&error, ContextKind::InvalidSubcommand);
            name.and_then(|name| command(name).or((!is_misspelt).then(|| search_for(name))))
        }
        _ => None,
    };
    if let Some(tip) = tip {
        error.remove(ContextKind::SuggestedArg);
        error.remove(ContextKind::SuggestedSubcommand);
        let tip = ContextValue::StyledStrs(vec![tip.into()]);
        error.insert(ContextKind::Suggested, tip);
    }
    error
}

fn text(error: &Error, kind: ContextKind) -> Option<&str> {
    match error.get(kind) {
        Some(ContextValue::String(text)) => Some(text),
        _ => None,
    }
}

fn command(name: &str) -> Option<String> {
    let (_, ours) = COMMANDS.iter().find(|(other, _)| *other == name)?;
    Some(format!("`{name}` is `excerpt {ours}` here"))
}

/// How to search for a word in the place of a command.
fn search_for(word: &str) -> String {
    format!("to search for it: `excerpt search {word}`")
}

/// What an unknown flag of a command is here.
fn flag(command: &Command, given: &str) -> Option<String> {
    let name = snake_case(given.strip_prefix("--")?);
    let command_name = command.get_name();
    if (command_name, &*name) == ("chunk", "preview") {
        return Some("`excerpt chunk` only previews: omit `--preview`".to_string());
    }
    let mut ours: Vec<&str> = fields_named(&name);
    for argument in arguments(&name) {
        ours.push(argument);
    }
    let flags = ours.iter().map(|name| name.replace('_', "-"));
    let flags = flags.filter(|name| {
        command
            .get_arguments()
            .any(|it| it.get_long() == Some(name))
    });
    let flags: Vec<String> = flags.map(|name| format!("`--{name}`")).collect();
    if !flags.is_empty() {
        return Some(format!("`{given}` is {} here", flags.join(" and ")));
    }
    ours.push(&name);
    let mut positionals = command.get_positionals();
    let positional = positionals.find(|it| {
        let id = it.get_id().as_str();
        ours.contains(&id) || (PLACES.contains(&id) && ours.iter().any(|it| PLACES.contains(it)))
    })?;
    let value = positional.get_value_names()?.first()?;
    Some(format!(
        "pass it without a flag: `excerpt {command_name} {value}`"
    ))
}
