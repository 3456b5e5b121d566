//! The names that other tools, and our own other faces, use for our arguments. The MCP server
//! accepts them, since an agent cannot look them up, and so does the HTTP API; the command line and
//! configuration files answer with ours. The fields of a chunking configuration have a table of
//! their own, in `excerpt_chunk`.

/// Other names, in lower case with underscores, and the argument that each maps to, where a tool or
/// a command has it.
pub const ARGUMENTS: [(&str, &str); 48] = [
    ("q", "query"),
    ("question", "query"),
    ("search", "query"),
    ("search_query", "query"),
    ("n", "limit"),
    ("k", "limit"),
    ("top_k", "limit"),
    ("max_results", "limit"),
    ("num_results", "limit"),
    ("max_num_results", "limit"),
    ("count", "limit"),
    ("token_budget", "max_tokens"),
    ("all", "weak"),
    ("tag", "tags"),
    ("type", "kind"),
    ("kind", "type"),
    ("type", "kinds"),
    ("kind", "kinds"),
    ("lang", "language"),
    ("languages", "language"),
    ("lang", "languages"),
    ("language", "languages"),
    ("folder", "path"),
    ("directory", "path"),
    ("prefix", "path"),
    ("file", "path"),
    ("file_path", "path"),
    ("from", "since"),
    ("after", "since"),
    ("to", "until"),
    ("before", "until"),
    ("metadata", "fields"),
    ("filters", "fields"),
    ("collections", "collection"),
    ("source", "collection"),
    ("collection", "collections"),
    ("target", "targets"),
    ("path", "targets"),
    ("paths", "targets"),
    ("id", "targets"),
    ("ids", "targets"),
    ("uri", "targets"),
    ("neighbors", "neighbours"),
    ("context", "neighbours"),
    ("cursor", "offset"),
    ("text", "content"),
    ("body", "content"),
    ("content", "text"),
];

/// The arguments that other tools call `name`.
pub fn arguments(name: &str) -> impl Iterator<Item = &'static str> {
    let found = ARGUMENTS.iter().filter(move |(other, _)| *other == name);
    found.map(|(_, ours)| *ours)
}
