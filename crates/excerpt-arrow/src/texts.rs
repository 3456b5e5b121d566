//! A column of texts, of whatever type it is.

use std::borrow::Cow;

use arrow_array::cast::AsArray;
use arrow_array::types::{
    Int8Type, Int16Type, Int32Type, Int64Type, UInt8Type, UInt16Type, UInt32Type, UInt64Type,
};
use arrow_array::{
    Array, ArrowPrimitiveType, BinaryArray, BinaryViewArray, LargeBinaryArray, RecordBatch,
};
use arrow_schema::DataType;

use crate::error::BatchError;

/// A column of texts. Strings are read as bytes: what comes through the C interface says that it is
/// UTF-8, and nobody has checked that.
pub(crate) enum Texts {
    Binary(BinaryArray),
    LargeBinary(LargeBinaryArray),
    BinaryView(BinaryViewArray),
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

/// The types of texts.
const TEXTS: &str = "a string type, or binary with UTF-8";

/// The types of names and ids.
const NAMES: &str = "a string type or whole numbers";

impl Texts {
    /// The column `name` of a batch.
    ///
    /// # Errors
    ///
    /// When there is no such column, or it has no texts.
    pub(crate) fn of(batch: &RecordBatch, name: &str) -> Result<Texts, BatchError> {
        let column = column(batch, name)?;
        Texts::read(column).ok_or_else(|| wrong_type(column, name, TEXTS))
    }

    /// The column `name` of a batch, which may have whole numbers.
    ///
    /// # Errors
    ///
    /// When there is no such column, or it has neither texts nor whole numbers.
    pub(crate) fn or_numbers(batch: &RecordBatch, name: &str) -> Result<Texts, BatchError> {
        let column = column(batch, name)?;
        Texts::read(column)
            .or_else(|| Texts::of_numbers(column))
            .ok_or_else(|| wrong_type(column, name, NAMES))
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
            Texts::Null => None,
            Texts::Dictionary(places, values) => values.bytes(places[row]?),
            Texts::Numbers(numbers) => numbers[row].as_deref().map(str::as_bytes),
        }
    }
}

/// A column by its name.
///
/// # Errors
///
/// When there is none.
pub(crate) fn column<'b>(batch: &'b RecordBatch, name: &str) -> Result<&'b dyn Array, BatchError> {
    match batch.column_by_name(name) {
        Some(column) => Ok(column.as_ref()),
        None => Err(BatchError::NoColumn {
            name: name.to_string(),
            known: names(batch),
        }),
    }
}

fn names(batch: &RecordBatch) -> Vec<String> {
    let schema = batch.schema_ref();
    let names = schema.fields().iter().map(|field| field.name().clone());
    names.collect()
}

fn wrong_type(column: &dyn Array, name: &str, expected: &'static str) -> BatchError {
    BatchError::ColumnType {
        name: name.to_string(),
        found: column.data_type().to_string(),
        expected,
    }
}
