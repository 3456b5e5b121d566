-- An index of format 6: the statements that made it, and the rows of three documents under `/notes`.
PRAGMA application_id = 2019783280;
PRAGMA user_version = 6;
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
ALTER TABLE chunk ADD COLUMN defines TEXT NOT NULL DEFAULT '[]';
ALTER TABLE chunk ADD COLUMN input BLOB NOT NULL DEFAULT x'';
UPDATE document SET identity = zeroblob(16);

CREATE TABLE vector (
    key BLOB PRIMARY KEY,
    numbers BLOB,
    refused TEXT
) STRICT, WITHOUT ROWID;
ALTER TABLE source ADD COLUMN name TEXT;
ALTER TABLE source ADD COLUMN summary TEXT;
CREATE UNIQUE INDEX source_by_name ON source (name);
UPDATE document SET identity = zeroblob(16);
CREATE INDEX document_by_identity ON document (source, identity);

CREATE TABLE facet (
    name TEXT NOT NULL,
    value TEXT NOT NULL,
    document INTEGER NOT NULL REFERENCES document (id) ON DELETE CASCADE,
    PRIMARY KEY (name, value, document)
) STRICT, WITHOUT ROWID;
CREATE INDEX facet_by_document ON facet (document);

CREATE TABLE link (
    document INTEGER NOT NULL REFERENCES document (id) ON DELETE CASCADE,
    start INTEGER NOT NULL,
    target TEXT NOT NULL,
    section TEXT,
    wiki INTEGER NOT NULL,
    PRIMARY KEY (document, start)
) STRICT, WITHOUT ROWID;

-- Vectors in the order in which they come: by their keys, which are hashes, each of a batch would change another page.
ALTER TABLE vector RENAME TO vector_before;
CREATE TABLE vector (
    key BLOB PRIMARY KEY,
    numbers BLOB,
    refused TEXT
) STRICT;
INSERT INTO vector SELECT key, numbers, refused FROM vector_before;
DROP TABLE vector_before;

CREATE INDEX link_by_target ON link (target);
ALTER TABLE document ADD COLUMN encoding TEXT NOT NULL DEFAULT 'utf-8';
ALTER TABLE document ADD COLUMN inode INTEGER;
ALTER TABLE document ADD COLUMN ctime_ns INTEGER;
ALTER TABLE skip ADD COLUMN inode INTEGER;
ALTER TABLE skip ADD COLUMN ctime_ns INTEGER;
ALTER TABLE document ADD COLUMN chunks_sum INTEGER;
ALTER TABLE document ADD COLUMN facets_sum INTEGER;
ALTER TABLE document ADD COLUMN links_sum INTEGER;
ALTER TABLE document ADD COLUMN stat_sum INTEGER;
ALTER TABLE document ADD COLUMN sum INTEGER;
ALTER TABLE chunk ADD COLUMN sum INTEGER;
ALTER TABLE vector ADD COLUMN sum INTEGER;
ALTER TABLE source ADD COLUMN skips_sum INTEGER;
ALTER TABLE source ADD COLUMN sum INTEGER;

ALTER TABLE skip ADD COLUMN reader TEXT;
INSERT INTO source (id, root, started, finished, name, summary, skips_sum, sum) VALUES (1, '/notes', 1795350175, 1795350175, NULL, NULL, 3244421341483603138, 7773870290171337916);
INSERT INTO text (hash, bytes, zstd) VALUES (x'34f61e9dc91f2d5ede1e30a4f56c2b28', 33, x'28b52ffd20210901004672657368206d696c6b206b6565707320666f7220746872656520646179732e0a');
INSERT INTO text (hash, bytes, zstd) VALUES (x'ec7629678b62fa695dd7738a571e75cb', 153, x'28b52ffd2099e50300d2c81b1b708973452fabcfb508442835b34b2c5da734695ccb2126fdf561049896b9311fa18c63d7fc7439b08b4d8394004a82614de26329c8b5fb8ffa7da1c61abb0841548d39ff1e6c1888e97d31a1e02b74796120b79e9faf46fe4210f56b830dc4cc44a5fd8fb240bf898fa774313303030401c30273d53ba613');
INSERT INTO text (hash, bytes, zstd) VALUES (x'34055bdb3b5586d8bf1b89223093a3ee', 172, x'28b52ffd20ac050400b287191d606d33064c22ac5c5eec421e498184428cf603126e2630e84c021c94c338a1b360a5408ebdc5d2de620bedda5b8a331371c2a67136fc63e568ade7c3e000e15d5856e963a9f1f318324eb53994f1445291977bed4d574976ab34716622321aed2a64c480cc08003f01149cd06a20092146042e09a59d8a84c76cee01');
INSERT INTO document (id, source, path, size, mtime_ns, settled, text, title, first_heading, metadata, syntax, strategy, reason, warnings, identity, rev, chunks_sum, facets_sum, links_sum, stat_sum, sum) VALUES (1, 1, 'milk.txt', 33, 1767323045000000000, 1, x'34f61e9dc91f2d5ede1e30a4f56c2b28', NULL, NULL, '{}', 'text', 'whole', 'detected: 8 tokens, under twice `min` (50)', '[]', x'db7bdd39a3420c39c60db486869b8795', 1, 8316078637931558660, 3244421341483603138, 3244421341483603138, 175142968844360059, 7349817702867263508);
INSERT INTO document (id, source, path, size, mtime_ns, settled, text, title, first_heading, metadata, syntax, strategy, reason, warnings, identity, rev, chunks_sum, facets_sum, links_sum, stat_sum, sum) VALUES (2, 1, 'guide/tea.md', 153, 1767323045000000000, 1, x'ec7629678b62fa695dd7738a571e75cb', 'Green tea', 'Green tea', '{"tags":["tea","green"]}', 'markdown', 'whole', 'detected: 38 tokens, under twice `min` (50)', '[]', x'db7bdd39a3420c39c60db486869b8795', 2, 3056735002974050820, 3244421341483603138, 3244421341483603138, 8039732414625636701, -6304184972010089280);
INSERT INTO document (id, source, path, size, mtime_ns, settled, text, title, first_heading, metadata, syntax, strategy, reason, warnings, identity, rev, chunks_sum, facets_sum, links_sum, stat_sum, sum) VALUES (3, 1, 'kettle.rs', 172, 1767323045000000000, 1, x'34055bdb3b5586d8bf1b89223093a3ee', NULL, NULL, '{}', 'code', 'whole', 'detected: 43 tokens, under twice `min` (50)', '[]', x'db7bdd39a3420c39c60db486869b8795', 3, 7146571858494290936, 3244421341483603138, 3244421341483603138, 4425722253468683825, 7113588404061025440);
INSERT INTO chunk (document, ordinal, id, start, end, first_line, last_line, overlap_start, trail, sections, header, kind, name, language, tokens, part, parts, strength, cut, hash, warnings, defines, input, sum) VALUES (1, 0, x'86e6698ab59bea0c42af67b7f0963e85', 0, 32, 1, 1, NULL, '[]', '[]', 'milk.txt
', 'paragraph', NULL, NULL, 10, 1, 1, 'start', 'start', x'a2b2d1b9a5d6e48fb34130c6c61b0b3c', '[]', '[]', x'49c3bd001eb5f9be0993244998957dcd', -1925630706153087965);
INSERT INTO chunk (document, ordinal, id, start, end, first_line, last_line, overlap_start, trail, sections, header, kind, name, language, tokens, part, parts, strength, cut, hash, warnings, defines, input, sum) VALUES (2, 0, x'dab8362cbe1c04c33104b6f34adabb8c', 0, 152, 1, 11, NULL, '[]', '["Green tea","Steeping"]', 'guide/tea.md
Green tea
', 'mixed', NULL, NULL, 43, 1, 1, 'start', 'start', x'52376e49c224eaf7ce5a4a0ad8d4483f', '[]', '[]', x'0b1eef6eee3d870a8cc10203a06d49e6', -424027761215069398);
INSERT INTO chunk (document, ordinal, id, start, end, first_line, last_line, overlap_start, trail, sections, header, kind, name, language, tokens, part, parts, strength, cut, hash, warnings, defines, input, sum) VALUES (3, 0, x'982c686e0df30e37407707f769e10b06', 0, 171, 1, 11, NULL, '[]', '["fn heat","fn pour"]', 'kettle.rs
', 'mixed', NULL, 'rust', 45, 1, 1, 'start', 'start', x'655817817ddc7e9f6f12905d7abb5d80', '[]', '["heat","pour"]', x'7c0e0765ccab33bcad7df13603a8785f', -7023114926400876079);
INSERT INTO vector (key, numbers, refused, sum) VALUES (x'52282c1bf4ba7d7691b35593996cbe78', x'c6d201246b66cb4a181ed21b1be8d4ffbefabc32210db1f2e224fe19d267c40d4a21f3d9d02c200e0febe0325ed24c19b9cfe1b50623443be5e522f3ed0fe1be2b9b2e3ee9e246de322aeb28e32615f30a9f31e332fdb6e0e0fd3f8510e2034ac3240c2bf2e43a1315741c32e5dd3756a425d9a8e01ef14ed54e3af2ec131e0ecafc9df5f8241d473610c9ff2f3db7d5ab18f8ee0fa3ea1ce89dc1d2f508e40c27efd8f16527a6dce4bf6c06dfdf492c664cd5d7e3b2b9c69d0a34da06bfc43529243a421c0638c8e6f017fc442850325f2b46003bf0587fc60e1ae1bfbbf93b1d171f9e201947d9d4f221020aedc11cd54d3febe52bd2e94aced7db00f1d3b3', NULL, -862513610273289311);
INSERT INTO vector (key, numbers, refused, sum) VALUES (x'991fc0a2dccada4863f286f496085138', x'19fe00ff640ce62cd30cb1abf4a9277ac6f85903cbdc0d1020f8d40681539bfbea0f37f8d0e3c75dcfe240260127e6c8dc06f0c03f0e412afc42ed9b3da644de1e172a0b22a534ee5ede2117f8d9a913eadffec7f4ef03151910bc0982235308874eceec1af330bffd181f03f7019f15b22016cfd301ef0d2a3bf0e2f1f702dff1fbff0bce294af4b61ef6fa071122d8ecd8e4010602fdb8113355ef183219e5e709fffcde01fd00d5f7f503ff020fce0ffb280aafcaa2e32e374b05df171849e002e2cd126c0210a904c70e2ce6e3ffb1f4e007110b2113112cc009320ad02602444638fcc3cded0abdfa05c1f60d10e80edf05463f0ceb79110613fddced4c', NULL, 8310954974376644156);
INSERT INTO vector (key, numbers, refused, sum) VALUES (x'e2834f661d6dc3511942f47d80eb1ad4', x'fcd94cef6d7fce380e48cce202cc0611d8d70a29e9f1cd08293f19d29822d7f514f4fdedf6228f1fb70f010c10221819470202e9d3d94d261807373a3cc2fecc0acff112caade3dd2d404f14fce3f102a40530fd4f26f9f6020009c9dae82811c53bb348fa261b10513517dd5aeab74d37f1eca0e5e2f92cf82418b0d9e815e1d105c546fa211f1be91717c9122703ecf7d91128eec7391d310ac02e2222e504e6fd34e837e2a506f4da05cef4205d184129b846efede311ee1e0c2e01381107df28f7e6172ccc3aaf22f3dabcba26563229e510ff24d9ffd9270b09bcb6ff3e39cf1ac3c70528ce0f1316ec19eff2eb1be446332cfd355504c20cb01affd1f3', NULL, -7763408655050268475);
UPDATE meta SET value = 3 WHERE key = 'rev';
INSERT INTO meta VALUES ('format', 6);
UPDATE document SET inode = 1000 + id, ctime_ns = mtime_ns;
UPDATE document SET stat_sum = 4472438109199223872, sum = -983236381905284163 WHERE id = 1;
UPDATE document SET stat_sum = 3229772078916392187, sum = -7502079875607086039 WHERE id = 2;
UPDATE document SET stat_sum = 1495153529096907434, sum = 3534147151916868478 WHERE id = 3;
COMMIT;
