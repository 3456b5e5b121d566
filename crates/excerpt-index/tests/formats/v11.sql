-- An index of format 11: the statements that made it, and the rows of three documents under `/notes`.
PRAGMA application_id = 2019783280;
PRAGMA user_version = 11;
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

CREATE TABLE block (
    document INTEGER NOT NULL REFERENCES document (id) ON DELETE CASCADE,
    first INTEGER NOT NULL,
    count INTEGER NOT NULL,
    warned INTEGER NOT NULL,
    hashes BLOB NOT NULL,
    bytes INTEGER NOT NULL,
    zstd BLOB NOT NULL,
    sum INTEGER,
    PRIMARY KEY (document, first)
) STRICT;
CREATE INDEX document_of_code ON document (syntax) WHERE syntax = 'code';

CREATE INDEX block_by_count ON block (document, count);
CREATE INDEX text_by_bytes ON text (bytes);

DROP INDEX document_of_code;
CREATE INDEX document_by_syntax ON document (syntax, size);
DROP TABLE chunk;

ALTER TABLE link RENAME COLUMN wiki TO form;

INSERT INTO source (id, root, started, finished, name, summary, skips_sum, sum) VALUES (1, '/notes', 1795756728, 1795756728, NULL, NULL, 3244421341483603138, 292624761973176837);
INSERT INTO text (hash, bytes, zstd) VALUES (x'34f61e9dc91f2d5ede1e30a4f56c2b28', 33, x'28b52ffd20210901004672657368206d696c6b206b6565707320666f7220746872656520646179732e0a');
INSERT INTO text (hash, bytes, zstd) VALUES (x'ec7629678b62fa695dd7738a571e75cb', 153, x'28b52ffd2099e50300d2c81b1b708973452fabcfb508442835b34b2c5da734695ccb2126fdf561049896b9311fa18c63d7fc7439b08b4d8394004a82614de26329c8b5fb8ffa7da1c61abb0841548d39ff1e6c1888e97d31a1e02b74796120b79e9faf46fe4210f56b830dc4cc44a5fd8fb240bf898fa774313303030401c30273d53ba613');
INSERT INTO text (hash, bytes, zstd) VALUES (x'34055bdb3b5586d8bf1b89223093a3ee', 172, x'28b52ffd20ac050400b287191d606d33064c22ac5c5eec421e498184428cf603126e2630e84c021c94c338a1b360a5408ebdc5d2de620bedda5b8a331371c2a67136fc63e568ade7c3e000e15d5856e963a9f1f318324eb53994f1445291977bed4d574976ab34716622321aed2a64c480cc08003f01149cd06a20092146042e09a59d8a84c76cee01');
INSERT INTO document (id, source, path, size, mtime_ns, settled, text, title, first_heading, metadata, syntax, strategy, reason, warnings, identity, rev, encoding, inode, ctime_ns, chunks_sum, facets_sum, links_sum, stat_sum, sum) VALUES (1, 1, 'milk.txt', 33, 1796044632481524977, 1, x'34f61e9dc91f2d5ede1e30a4f56c2b28', NULL, NULL, '{}', 'text', 'whole', 'detected: 8 tokens, under twice `min` (50)', '[]', x'3288fb8a541fa2908780c243bb33914a', 1, 'utf-8', 10019197, 1796062366543705043, -6377137103316136680, 451259031058033778, 3244421341483603138, 7483553114919242315, -174715532139508196);
INSERT INTO document (id, source, path, size, mtime_ns, settled, text, title, first_heading, metadata, syntax, strategy, reason, warnings, identity, rev, encoding, inode, ctime_ns, chunks_sum, facets_sum, links_sum, stat_sum, sum) VALUES (2, 1, 'guide/tea.md', 153, 1796044632481524977, 1, x'ec7629678b62fa695dd7738a571e75cb', 'Green tea', 'Green tea', '{"tags":["tea","green"]}', 'markdown', 'whole', 'detected: 38 tokens, under twice `min` (50)', '[]', x'3288fb8a541fa2908780c243bb33914a', 2, 'utf-8', 10019199, 1796062366543939172, -7909126507525953018, 6909335887476114420, -7234192893528373418, 7868906949201833615, 7354714152302297413);
INSERT INTO document (id, source, path, size, mtime_ns, settled, text, title, first_heading, metadata, syntax, strategy, reason, warnings, identity, rev, encoding, inode, ctime_ns, chunks_sum, facets_sum, links_sum, stat_sum, sum) VALUES (3, 1, 'kettle.rs', 172, 1796044632481524977, 1, x'34055bdb3b5586d8bf1b89223093a3ee', NULL, NULL, '{}', 'code', 'whole', 'detected: 43 tokens, under twice `min` (50)', '[]', x'3288fb8a541fa2908780c243bb33914a', 3, 'utf-8', 10018819, 1796062366541405811, 4360057711809769679, -3336432382649076274, 3244421341483603138, -3207600835926131023, -1898527124338383926);
INSERT INTO block (document, first, count, warned, hashes, bytes, zstd, sum) VALUES (1, 0, 1, 0, x'86e6698ab59bea0c42af67b7f0963e85a2b2d1b9a5d6e48fb34130c6c61b0b3c49c3bd001eb5f9be0993244998957dcd', 67, x'28b52ffd20431902003f000000dc0010920020920101c0a25b5da25b5da25b5da96d696c6b2e7478740aa9706172616772617068c0c00a920101a57374617274a57374617274a25b5da25b5d', -5707184934460951013);
INSERT INTO block (document, first, count, warned, hashes, bytes, zstd, sum) VALUES (2, 0, 1, 0, x'dab8362cbe1c04c33104b6f34adabb8c52376e49c224eaf7ce5a4a0ad8d4483f0b1eef6eee3d870a8cc10203a06d49e6', 100, x'28b52ffd2064fd0200540560000000dc00109200cc9892010bc0a25b5db85b22477265656e20746561222c225374656570696e67225da25b5db767756964652f7465612e6d640a0aa56d69786564c0c02b920101a57374617274a25b5da25b5d020053466055a83d', 4530149646795710908);
INSERT INTO block (document, first, count, warned, hashes, bytes, zstd, sum) VALUES (3, 0, 1, 0, x'982c686e0df30e37407707f769e10b06655817817ddc7e9f6f12905d7abb5d807c0e0765ccab33bcad7df13603a8785f', 101, x'28b52ffd2065f50200240561000000dc00109200ccab92010bc0a25b5db55b22666e2068656174222c22666e20706f7572225daf5b22aa6b6574746c652e72730aa56d69786564c0a4727573742d920101a57374617274a25b5da25b5d030049193f73805936cb', -2896888931839777732);
INSERT INTO facet (name, value, document) VALUES ('language', 'text', 1);
INSERT INTO facet (name, value, document) VALUES ('language', 'markdown', 2);
INSERT INTO facet (name, value, document) VALUES ('tag', 'green', 2);
INSERT INTO facet (name, value, document) VALUES ('tag', 'tea', 2);
INSERT INTO facet (name, value, document) VALUES ('language', 'rust', 3);
INSERT INTO link (document, start, target, section, form) VALUES (2, 113, 'milk.txt', NULL, 0);
INSERT INTO vector (key, numbers, refused, sum) VALUES (x'6491127b5fadf8b17a053b0ccb6cbd0c', x'd5bf0e397a4dc9450931b31a2fe1dd0ac4d6cb405a0fefc59c29fe16da458130121d41ace83e130e02f093144ea307edc4fb38b6ffe4214616dbf3ee1f19eaff4f955de0ddf434f32a1fa221f44f0ff326c4f6c824e98913cffd6dc233dfe332c60b213fcf1748042958075df9fd1e689e2cfca7ed41c148c74d4cf0ec4e4218a7f2d9c4ab1e0c5e3436f5f72b3bb7f7be0fe9e4f5c5f85804b919c1f7f3fd0c051602d41120dfe7fbfa70f4fdc93d4958430f0a04d5acbdd924229249a9cf581f30273d38d3421ae3cc21f32d271d4c27233c0d39fd5125063bd9f9edcc0101e72b50ba273124bce6f451f102f2e347d82b20c200e3d610f6c1f83b0bd3b7ac', NULL, -6205654593043777635);
INSERT INTO vector (key, numbers, refused, sum) VALUES (x'10bc8239656ae94a689a7aa8e308908e', x'fadd41f0705cc3312236c72124f8f61e02ea2320e7f1e5f8293d37e6cc609dd52d0cf5dfdd37a737e412de2d1314150d70cf22e6befe3c370d022d195cc0fdf30fd7e923b6adf6fd435726280327eb03b2193cec7f12fa10f81d23a3f3e33f26db4a963cf84c221671f250e92f01c45033d3e7bbf6c8dbe5c92b17cee910feb3c51db80ce13ef003c0361dd41215f4f0e0022ff1e5cd3f0d05ecdf490a2d0338aa09f8b749e2b0041f0bf3e4f13a500f6a35c84f04f7f40ffd4212fc2145ea19c721ebe93110da28991d03d1dae02e512c1a26461341bd2cbf163704bbbde53330c52abd9ff83207fe0431eb32ff10170d00203051fe610d22d639d0e9fcc9fe', NULL, -6978823530588629692);
INSERT INTO vector (key, numbers, refused, sum) VALUES (x'7c0547e46ef43da955f4736e359c18b3', x'200ce804640ece1ee00a95ae02983a7fb1fb540bcad512022a16f5039020a61004ff400ac1f4bb55e8db2136fa1fe8cfc3f5e7d11f074e2f1721ef9f4e993ad90ffd34fd00b042e65cf7091104d4c207fbf208cc0fe409e01819af188c42520aad1ed4072d1d3ed406fc1cf9050fa8fccf13fdc20f00e402292ceaf608e825feec070220e62f2ef9d60dfef7f9240af1f7e3f4edf4fbefde020e56d7fa2034f7ee080309d9041903ebfaf212eafc0cf7f3072bf3a4f2bdc7503f26f4d60d064bc7f9fdf4224efb05b12bf2ef15e3f200d0e1d20535ff1804130de6ed11fcc70dde452f2bfbcef0f7fdd0e9cdc1ed0609b826ccf63a361ece5416d708c3eaf821', NULL, 2839583033835605512);
UPDATE meta SET value = 3 WHERE key = 'rev';
INSERT INTO meta VALUES ('format', 11);
COMMIT;
