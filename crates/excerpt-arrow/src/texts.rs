//! A column of texts, of whatever type it is.

use std::borrow::Cow;

use arrow_array::cast::AsArray;
use arrow_array::types::{
    Decimal32Type, Decimal64Type, Decimal128Type, Decimal256Type, Int8Type, Int16Type, Int32Type,
    Int64Type, UInt8Type, UInt16Type, UInt32Type, UInt64Type,
};
use arrow_array::{
    Array, ArrowPrimitiveType, BinaryArray, BinaryViewArray, FixedSizeBinaryArray,
    LargeBinaryArray, RecordBatch,
};
use arrow_schema::{DataType, Schema};

use crate::error::BatchError;

/// A column of texts. Strings are read as bytes: what comes through the C interface says that it is
/// UTF-8, and nobody has checked that.
pub(crate) enum Texts {
    Binary(BinaryArray),
    LargeBinary(LargeBinaryArray),
    BinaryView(BinaryViewArray),
    FixedSizeBinary(FixedSizeBinaryArray),
    /// Of type null: none has a value.
    Null,
    /// The place of the value of each row, and the values.
    Dictionary(Vec<Option<usize>>, Box<Texts>),
    Numbers(Vec<Option<String>>),
}

/// Why there is no text in a row.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum NoText {
    Null,
    /// The bytes are not UTF-8 from this place on.
    NotUtf8(usize),
}

/// What a column is read for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TextUse {
    /// Its texts.
    Text,
    /// Names, which may be whole numbers.
    Name,
    /// Keys, which may also be bytes of a fixed size, such as UUIDs.
    Key,
}

impl TextUse {
    /// Checks the column `name` of batches with this schema.
    ///
    /// # Errors
    ///
    /// When there is no such column, there are several, or its type cannot be read for this.
    pub(crate) fn check(self, schema: &Schema, name: &str) -> Result<(), BatchError> {
        let mut named = schema.fields().iter().filter(|field| field.name() == name);
        let Some(field) = named.next() else {
            return Err(no_column(schema, name));
        };
        if named.next().is_some() {
            let name = name.to_string();
            return Err(BatchError::Twice { name });
        }
        match self.reads(field.data_type()) {
            true => Ok(()),
            false => Err(self.wrong_type(field.data_type(), name)),
        }
    }

    fn reads(self, kind: &DataType) -> bool {
        match kind {
            DataType::Dictionary(_, values) => TextUse::Text.reads(values),
            kind if kind.is_string() || kind.is_null() => true,
            DataType::Binary | DataType::LargeBinary | DataType::BinaryView => true,
            DataType::FixedSizeBinary(_) => self == TextUse::Key,
            kind => self != TextUse::Text && is_whole_number(kind),
        }
    }

    fn wrong_type(self, found: &DataType, name: &str) -> BatchError {
        BatchError::ColumnType {
            name: name.to_string(),
            found: found.to_string(),
            expected: match self {
                TextUse::Text => "a string type, or binary with UTF-8",
                TextUse::Name => "a string type, binary with UTF-8, or whole numbers",
                TextUse::Key => "a string type, binary, or whole numbers",
            },
        }
    }
}

/// Decimals without decimal places are whole numbers, as DuckDB has them for `HUGEINT`.
fn is_whole_number(kind: &DataType) -> bool {
    match kind {
        DataType::Decimal32(_, 0)
        | DataType::Decimal64(_, 0)
        | DataType::Decimal128(_, 0)
        | DataType::Decimal256(_, 0) => true,
        kind => kind.is_integer(),
    }
}

impl Texts {
    /// The column `name` of a batch.
    ///
    /// # Errors
    ///
    /// When there is no such column, or its type cannot be read for this.
    pub(crate) fn of(
        batch: &RecordBatch,
        name: &str,
        of_use: TextUse,
    ) -> Result<Texts, BatchError> {
        let schema = batch.schema_ref();
        let column = batch.column_by_name(name);
        let column = column.ok_or_else(|| no_column(schema, name))?;
        let wrong_type = || of_use.wrong_type(column.data_type(), name);
        if !of_use.reads(column.data_type()) {
            return Err(wrong_type());
        }
        Texts::read(column)
            .or_else(|| Texts::of_numbers(column))
            .ok_or_else(wrong_type)
    }

    fn read(array: &dyn Array) -> Option<Texts> {
        Some(match array.data_type() {
            DataType::Utf8 => Texts::Binary(array.as_string::<i32>().clone().into()),
            DataType::LargeUtf8 => Texts::LargeBinary(array.as_string::<i64>().clone().into()),
            DataType::Utf8View => {
                Texts::BinaryView(array.as_string_view().clone().to_binary_view())
            }
            DataType::Binary => Texts::Binary(array.as_binary().clone()),
            DataType::LargeBinary => Texts::LargeBinary(array.as_binary().clone()),
            DataType::BinaryView => Texts::BinaryView(array.as_binary_view().clone()),
            DataType::FixedSizeBinary(_) => {
                Texts::FixedSizeBinary(array.as_fixed_size_binary().clone())
            }
            DataType::Null => Texts::Null,
            DataType::Dictionary(_, _) => {
                let dictionary = array.as_any_dictionary_opt()?;
                let keys = dictionary.keys();
                // Of an empty dictionary, no key can be normalised.
                let places = match dictionary.values().is_empty() {
                    true => vec![None; keys.len()],
                    false => {
                        let places = dictionary.normalized_keys().into_iter().enumerate();
                        let place = |(row, place)| keys.is_valid(row).then_some(place);
                        places.map(place).collect()
                    }
                };
                let values = Texts::read(dictionary.values().as_ref())?;
                Texts::Dictionary(places, Box::new(values))
            }
            _ => return None,
        })
    }

    fn of_numbers(array: &dyn Array) -> Option<Texts> {
        fn written<T: ArrowPrimitiveType>(array: &dyn Array) -> Vec<Option<String>>
        where
            T::Native: ToString,
        {
            let numbers = array.as_primitive::<T>().iter();
            numbers.map(|number| Some(number?.to_string())).collect()
        }
        Some(Texts::Numbers(match array.data_type() {
            DataType::Int8 => written::<Int8Type>(array),
            DataType::Int16 => written::<Int16Type>(array),
            DataType::Int32 => written::<Int32Type>(array),
            DataType::Int64 => written::<Int64Type>(array),
            DataType::UInt8 => written::<UInt8Type>(array),
            DataType::UInt16 => written::<UInt16Type>(array),
            DataType::UInt32 => written::<UInt32Type>(array),
            DataType::UInt64 => written::<UInt64Type>(array),
            DataType::Decimal32(_, 0) => written::<Decimal32Type>(array),
            DataType::Decimal64(_, 0) => written::<Decimal64Type>(array),
            DataType::Decimal128(_, 0) => written::<Decimal128Type>(array),
            DataType::Decimal256(_, 0) => written::<Decimal256Type>(array),
            _ => return None,
        }))
    }

    /// How many bytes the texts of the first `rows` rows have together.
    pub(crate) fn total(&self, rows: usize) -> usize {
        let texts = (0..rows).filter_map(|row| self.bytes(row));
        texts.map(<[u8]>::len).sum()
    }

    /// The text in a row.
    ///
    /// # Errors
    ///
    /// When there is none.
    pub(crate) fn get(&self, row: usize) -> Result<&str, NoText> {
        let bytes = self.bytes(row).ok_or(NoText::Null)?;
        std::str::from_utf8(bytes).map_err(|error| NoText::NotUtf8(error.valid_up_to()))
    }

    /// The text in a row, with replacements for what is not UTF-8; `None` if it is null.
    pub(crate) fn lossy(&self, row: usize) -> Option<Cow<'_, str>> {
        self.bytes(row).map(String::from_utf8_lossy)
    }

    /// The text in a row, or its bytes in hexadecimal digits if they are not UTF-8: no two values
    /// become the same. `None` if it is null.
    pub(crate) fn key(&self, row: usize) -> Option<Cow<'_, str>> {
        let bytes = self.bytes(row)?;
        Some(match std::str::from_utf8(bytes) {
            Ok(text) => Cow::Borrowed(text),
            Err(_) => {
                let digits = bytes.iter().map(|byte| format!("{byte:02x}"));
                Cow::Owned(format!("\0{}", digits.collect::<String>()))
            }
        })
    }

    fn bytes(&self, row: usize) -> Option<&[u8]> {
        match self {
            Texts::Binary(array) => array.is_valid(row).then(|| array.value(row)),
            Texts::LargeBinary(array) => array.is_valid(row).then(|| array.value(row)),
            Texts::BinaryView(array) => array.is_valid(row).then(|| array.value(row)),
            Texts::FixedSizeBinary(array) => array.is_valid(row).then(|| array.value(row)),
            Texts::Null => None,
            Texts::Dictionary(places, values) => values.bytes(places[row]?),
            Texts::Numbers(numbers) => numbers[row].as_deref().map(str::as_bytes),
        }
    }
}

fn no_column(schema: &Schema, name: &str) -> BatchError {
    let known = schema.fields().iter().map(|field| field.name().clone());
    BatchError::NoColumn {
        name: name.to_string(),
        known: known.collect(),
    }
}
