//! How ids are stored: SQLite has signed integers only.

use rusqlite::ToSql;
use rusqlite::types::{FromSql, FromSqlError, FromSqlResult, ToSqlOutput, ValueRef};

use crate::model::{DocumentId, Revision, SourceId};

impl ToSql for DocumentId {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(signed(self.0).into())
    }
}

impl FromSql for DocumentId {
    fn column_result(value: ValueRef<'_>) -> FromSqlResult<Self> {
        unsigned(value).map(DocumentId)
    }
}

impl ToSql for Revision {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(signed(self.0).into())
    }
}

impl FromSql for Revision {
    fn column_result(value: ValueRef<'_>) -> FromSqlResult<Self> {
        unsigned(value).map(Revision)
    }
}

impl ToSql for SourceId {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(self.as_str().into())
    }
}

impl FromSql for SourceId {
    fn column_result(value: ValueRef<'_>) -> FromSqlResult<Self> {
        value.as_str().map(SourceId::from)
    }
}

/// A number as a SQLite integer. None is ever as large as the limit.
pub(super) fn signed(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

fn unsigned(value: ValueRef<'_>) -> FromSqlResult<u64> {
    let number = value.as_i64()?;
    u64::try_from(number).map_err(|_| FromSqlError::OutOfRange(number))
}
