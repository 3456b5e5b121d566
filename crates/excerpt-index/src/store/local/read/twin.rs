//! Documents of other sources that were split with the same settings: [`Twin`]s.

use std::collections::BTreeSet;

use excerpt_chunk::Hash;
use rusqlite::{OptionalExtension, Row, params};

use super::{encoding, hash, stat};
use crate::model::{DocumentId, SourceId, Stat};
use crate::store::StoreError;
use crate::store::facet::{self, StoredMetadata};
use crate::store::identity::of_same_splitting;
use crate::store::ledger::TwinRequest;
use crate::store::local::database::Database;
use crate::store::local::sql::signed;
use crate::store::local::sum::{self, DOCUMENT, STAT};
use crate::store::record::{Record, Twin};

impl Database {
    /// For each request, the document of another source at its path, with the same size, split with
    /// the settings of `identity`. Of several, one with the same metadata is preferred.
    pub(crate) fn twins(
        &self,
        source: &SourceId,
        identity: Hash,
        requests: &[TwinRequest<'_>],
    ) -> Result<Vec<Option<Twin>>, StoreError> {
        let sources = self.sources_split_as(source, identity)?;
        let twins = requests.iter().map(|request| {
            let id = self.twin_of(&sources, identity, request)?;
            id.map_or(Ok(None), |id| self.twin(id))
        });
        twins.collect()
    }

    /// The rows of the other sources that have documents split with the settings of `identity`.
    fn sources_split_as(&self, source: &SourceId, identity: Hash) -> Result<Vec<i64>, StoreError> {
        let mut select = self.connection.prepare_cached(
            "SELECT id FROM source WHERE id <> ?1 AND EXISTS
             (SELECT 1 FROM document WHERE source = source.id AND identity BETWEEN ?2 AND ?3) ORDER BY id",
        )?;
        let same = of_same_splitting(identity);
        let values = params![self.row(source)?, &same.start()[..], &same.end()[..]];
        let rows = select.query_map(values, |row| row.get(0))?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    fn twin_of(
        &self,
        sources: &[i64],
        identity: Hash,
        TwinRequest { path, stat: wanted }: &TwinRequest<'_>,
    ) -> Result<Option<DocumentId>, StoreError> {
        let mut select = self.connection.prepare_cached(&format!(
            "SELECT {STAT}, id FROM document
             WHERE source = ?1 AND path = ?2 AND size = ?3 AND identity BETWEEN ?4 AND ?5",
        ))?;
        let same = of_same_splitting(identity);
        let mut found: Option<(Stat, DocumentId)> = None;
        for source in sources {
            let values = params![
                source,
                path,
                signed(wanted.size),
                &same.start()[..],
                &same.end()[..]
            ];
            let row = |row: &Row<'_>| Ok((stat(row, 0)?, row.get(4)?));
            match select.query_row(values, row).optional()? {
                Some((stat, id)) if stat == *wanted => return Ok(Some(id)),
                other => found = found.or(other),
            }
        }
        Ok(found.map(|(_, id)| id))
    }

    /// A document as a twin; `None` if it is damaged: then its text is split again.
    fn twin(&self, id: DocumentId) -> Result<Option<Twin>, StoreError> {
        match self.whole_twin(id) {
            Ok(twin) => Ok(Some(twin)),
            Err(StoreError::Value(_) | StoreError::Json(_)) => Ok(None),
            Err(error) => Err(error),
        }
    }

    fn whole_twin(&self, id: DocumentId) -> Result<Twin, StoreError> {
        let mut dates = Vec::new();
        let mut language = String::new();
        for (name, value) in self.facets_of(id)? {
            match &*name {
                facet::DATE => dates.push(value),
                facet::LANGUAGE => language = value,
                _ => {}
            }
        }
        let chunks = self.chunk_rows(id)?;
        let links = self.links_of(id)?;
        let mut select = self.connection.prepare_cached(&format!(
            "SELECT {DOCUMENT}, sum FROM document WHERE id = ?1"
        ))?;
        let mut rows = select.query([id])?;
        let row = rows
            .next()?
            .ok_or(StoreError::Value("a missing document"))?;
        sum::check(row, sum::DOCUMENT_COLUMNS)?;
        let metadata: String = row.get(5)?;
        let metadata = StoredMetadata::of_json(&metadata)?;
        let record = Record {
            id: None,
            path: row.get(1)?,
            stat: Stat::default(),
            settled: false,
            encoding: encoding(row, 15)?,
            hash: hash(row, 2)?,
            bytes: 0,
            zstd: Vec::new(),
            title: row.get(3)?,
            first_heading: row.get(4)?,
            metadata: String::new(),
            syntax: row.get(6)?,
            strategy: row.get(7)?,
            reason: row.get(8)?,
            warnings: row.get(9)?,
            identity: hash(row, 10)?,
            facets: BTreeSet::new(),
            chunks,
            links,
        };
        Ok(Twin {
            record: Box::new(record),
            metadata: metadata.own.unwrap_or(metadata.merged),
            provenance: metadata.provenance,
            language,
            dates,
        })
    }

    fn facets_of(&self, id: DocumentId) -> Result<Vec<(String, String)>, StoreError> {
        let mut select = self
            .connection
            .prepare_cached("SELECT name, value FROM facet WHERE document = ?1")?;
        let rows = select.query_map([id], |row| Ok((row.get(0)?, row.get(1)?)))?;
        let facets = rows.collect::<Result<_, _>>()?;
        let sql = "SELECT facets_sum FROM document WHERE id = ?1";
        let mut select = self.connection.prepare_cached(sql)?;
        let kept: Option<i64> = select.query_row([id], |row| row.get(0))?;
        match kept == Some(sum::of_facets(&self.connection, id)?) {
            true => Ok(facets),
            false => Err(sum::DIFFERENT),
        }
    }
}

#[cfg(test)]
mod tests {
    use excerpt_chunk::{Chunker, Document};
    use proptest::prelude::*;

    use super::*;
    use crate::model::{Attributes, Provenance};
    use crate::store::{Change, Described, Store, identity};

    fn described<'a>(attributes: &'a Attributes, provenance: &'a Provenance) -> Described<'a> {
        Described {
            extraction: None,
            attributes,
            provenance,
            language: None,
        }
    }

    fn record(text: &str, settings: &str, known: &Described<'_>) -> Box<Record> {
        let document = Document::new(text).with_path("2026/a.md");
        let chunking = Chunker::default().chunk(&document);
        let identity = identity("split", settings);
        let hash = Hash::of(text.as_bytes());
        Box::new(Record::new(&document, &chunking, hash, identity, known).unwrap())
    }

    fn attributes() -> impl Strategy<Value = Attributes> {
        let words = || proptest::collection::vec("[a-c]", 0..3);
        (proptest::option::of("doc|script"), words(), words()).prop_map(|(kind, versions, tags)| {
            Attributes {
                kind,
                title: None,
                versions,
                tags,
            }
        })
    }

    fn provenance() -> impl Strategy<Value = Provenance> {
        let day = proptest::option::of("2026-0[1-2]-01T00:00:00Z|Mon, 5 Jan 2026");
        day.prop_map(|day| {
            let fields = day.map(|day| ("committed".to_string(), serde_json::Value::from(day)));
            fields.into_iter().collect()
        })
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        #[test]
        fn a_document_from_its_twin_is_as_if_it_had_been_split(
            text in "(---\ntags: [a, x]\nversion: 3\n---\n)?( |\n|# A 2026-01-01\n\n|\\[b\\]\\(c.md\\)|word ){0,12}",
            (before, after) in (attributes(), attributes()),
            (old, new) in (provenance(), provenance()),
        ) {
            let dir = tempfile::tempdir().unwrap();
            let store = Store::create(dir.path()).unwrap();
            let (first, second) = (SourceId::from("/first"), SourceId::from("/second"));
            for source in [&first, &second] {
                store.database.ensure_source(source, None).unwrap();
            }
            let put = Change::Put(record(&text, "before", &described(&before, &old)));
            store.database.apply(&first, &[put]).unwrap();
            let stat = Stat::default();
            let request = TwinRequest { path: "2026/a.md", stat };
            let wanted = identity("split", "after");
            let twin = store.database.twins(&second, wanted, &[request]).unwrap().remove(0).unwrap();
            let known = described(&after, &new);
            let split = record(&text, "after", &known);
            if let Some(shared) = Record::of_twin(twin, &text, wanted, &known).unwrap() {
                prop_assert_eq!(format!("{:?}", shared), format!("{:?}", split));
            } else {
                let is_unclear = !old.is_empty() && old != new;
                prop_assert!(text.trim().is_empty() || is_unclear || split.chunks.iter().all(|chunk| chunk.tokens == 0));
            }
            // Other settings give other chunks.
            let other = identity("other", "after");
            prop_assert!(store.database.twins(&second, other, &[request]).unwrap()[0].is_none());
        }
    }
}
