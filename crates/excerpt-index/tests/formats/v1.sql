-- An index of format 1: the statements that made it, and the rows of three documents under `/notes`.
PRAGMA application_id = 2019783280;
PRAGMA user_version = 1;
BEGIN;
CREATE TABLE meta (
    key TEXT PRIMARY KEY,
    value ANY NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE source (
    id INTEGER PRIMARY KEY,
    root TEXT NOT NULL UNIQUE,
    started INTEGER,
    finished INTEGER
) STRICT;

CREATE TABLE text (
    hash BLOB PRIMARY KEY,
    bytes INTEGER NOT NULL,
    zstd BLOB NOT NULL
) STRICT;

CREATE TABLE document (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    source INTEGER NOT NULL REFERENCES source (id),
    path TEXT NOT NULL,
    size INTEGER NOT NULL,
    mtime_ns INTEGER NOT NULL,
    settled INTEGER NOT NULL,
    text BLOB NOT NULL REFERENCES text (hash),
    title TEXT,
    first_heading TEXT,
    metadata TEXT NOT NULL,
    syntax TEXT NOT NULL,
    strategy TEXT NOT NULL,
    reason TEXT NOT NULL,
    warnings TEXT NOT NULL,
    identity BLOB NOT NULL,
    rev INTEGER NOT NULL,
    UNIQUE (source, path)
) STRICT;
CREATE INDEX document_by_rev ON document (rev);
CREATE INDEX document_by_text ON document (text);

CREATE TABLE chunk (
    document INTEGER NOT NULL REFERENCES document (id) ON DELETE CASCADE,
    ordinal INTEGER NOT NULL,
    id BLOB NOT NULL,
    start INTEGER NOT NULL,
    end INTEGER NOT NULL,
    first_line INTEGER NOT NULL,
    last_line INTEGER NOT NULL,
    overlap_start INTEGER,
    trail TEXT NOT NULL,
    sections TEXT NOT NULL,
    header TEXT NOT NULL,
    kind TEXT NOT NULL,
    name TEXT,
    language TEXT,
    tokens INTEGER NOT NULL,
    part INTEGER NOT NULL,
    parts INTEGER NOT NULL,
    strength TEXT NOT NULL,
    cut TEXT NOT NULL,
    hash BLOB NOT NULL,
    warnings TEXT NOT NULL,
    PRIMARY KEY (document, ordinal)
) STRICT, WITHOUT ROWID;

CREATE TABLE skip (
    source INTEGER NOT NULL REFERENCES source (id),
    path TEXT NOT NULL,
    reason TEXT NOT NULL,
    detail TEXT,
    size INTEGER,
    mtime_ns INTEGER,
    settled INTEGER NOT NULL
) STRICT;
CREATE INDEX skip_by_source ON skip (source, path);

CREATE TABLE tombstone (
    document INTEGER PRIMARY KEY,
    rev INTEGER NOT NULL
) STRICT;
CREATE INDEX tombstone_by_rev ON tombstone (rev);

INSERT INTO meta VALUES ('store', randomblob(16)), ('rev', 0), ('pruned', 0);
INSERT INTO source (id, root, started, finished) VALUES (1, '/notes', 1795350175, 1795350175);
INSERT INTO text (hash, bytes, zstd) VALUES (x'34f61e9dc91f2d5ede1e30a4f56c2b28', 33, x'28b52ffd20210901004672657368206d696c6b206b6565707320666f7220746872656520646179732e0a');
INSERT INTO text (hash, bytes, zstd) VALUES (x'ec7629678b62fa695dd7738a571e75cb', 153, x'28b52ffd2099e50300d2c81b1b708973452fabcfb508442835b34b2c5da734695ccb2126fdf561049896b9311fa18c63d7fc7439b08b4d8394004a82614de26329c8b5fb8ffa7da1c61abb0841548d39ff1e6c1888e97d31a1e02b74796120b79e9faf46fe4210f56b830dc4cc44a5fd8fb240bf898fa774313303030401c30273d53ba613');
INSERT INTO text (hash, bytes, zstd) VALUES (x'34055bdb3b5586d8bf1b89223093a3ee', 172, x'28b52ffd20ac050400b287191d606d33064c22ac5c5eec421e498184428cf603126e2630e84c021c94c338a1b360a5408ebdc5d2de620bedda5b8a331371c2a67136fc63e568ade7c3e000e15d5856e963a9f1f318324eb53994f1445291977bed4d574976ab34716622321aed2a64c480cc08003f01149cd06a20092146042e09a59d8a84c76cee01');
INSERT INTO document (id, source, path, size, mtime_ns, settled, text, title, first_heading, metadata, syntax, strategy, reason, warnings, identity, rev) VALUES (1, 1, 'milk.txt', 33, 1767323045000000000, 1, x'34f61e9dc91f2d5ede1e30a4f56c2b28', NULL, NULL, '{}', 'text', 'whole', 'detected: 8 tokens, under twice `min` (50)', '[]', x'db7bdd39a3420c39c60db486869b8795', 1);
INSERT INTO document (id, source, path, size, mtime_ns, settled, text, title, first_heading, metadata, syntax, strategy, reason, warnings, identity, rev) VALUES (2, 1, 'guide/tea.md', 153, 1767323045000000000, 1, x'ec7629678b62fa695dd7738a571e75cb', 'Green tea', 'Green tea', '{"tags":["tea","green"]}', 'markdown', 'whole', 'detected: 38 tokens, under twice `min` (50)', '[]', x'db7bdd39a3420c39c60db486869b8795', 2);
INSERT INTO document (id, source, path, size, mtime_ns, settled, text, title, first_heading, metadata, syntax, strategy, reason, warnings, identity, rev) VALUES (3, 1, 'kettle.rs', 172, 1767323045000000000, 1, x'34055bdb3b5586d8bf1b89223093a3ee', NULL, NULL, '{}', 'code', 'whole', 'detected: 43 tokens, under twice `min` (50)', '[]', x'db7bdd39a3420c39c60db486869b8795', 3);
INSERT INTO chunk (document, ordinal, id, start, end, first_line, last_line, overlap_start, trail, sections, header, kind, name, language, tokens, part, parts, strength, cut, hash, warnings) VALUES (1, 0, x'86e6698ab59bea0c42af67b7f0963e85', 0, 32, 1, 1, NULL, '[]', '[]', 'milk.txt
', 'paragraph', NULL, NULL, 10, 1, 1, 'start', 'start', x'a2b2d1b9a5d6e48fb34130c6c61b0b3c', '[]');
INSERT INTO chunk (document, ordinal, id, start, end, first_line, last_line, overlap_start, trail, sections, header, kind, name, language, tokens, part, parts, strength, cut, hash, warnings) VALUES (2, 0, x'dab8362cbe1c04c33104b6f34adabb8c', 0, 152, 1, 11, NULL, '[]', '["Green tea","Steeping"]', 'guide/tea.md
Green tea
', 'mixed', NULL, NULL, 43, 1, 1, 'start', 'start', x'52376e49c224eaf7ce5a4a0ad8d4483f', '[]');
INSERT INTO chunk (document, ordinal, id, start, end, first_line, last_line, overlap_start, trail, sections, header, kind, name, language, tokens, part, parts, strength, cut, hash, warnings) VALUES (3, 0, x'982c686e0df30e37407707f769e10b06', 0, 171, 1, 11, NULL, '[]', '["fn heat","fn pour"]', 'kettle.rs
', 'mixed', NULL, 'rust', 45, 1, 1, 'start', 'start', x'655817817ddc7e9f6f12905d7abb5d80', '[]');
UPDATE meta SET value = 3 WHERE key = 'rev';
COMMIT;
