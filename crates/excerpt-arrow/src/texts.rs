//! A column of texts, of whatever type it is.

use std::borrow::Cow;

use arrow_array::cast::AsArray;
use arrow_array::types::{
    Int8Type, Int16Type, Int32Type, Int64Type, UInt8Type, UInt16Type, UInt32Type, UInt64Type,
};
use arrow_array::{
    Array, ArrowPrimitiveType, BinaryArray, BinaryViewArray, LargeBinaryArray, LargeStringArray,
    RecordBatch, StringArray, StringViewArray,
};
use arrow_schema::DataType;

use crate::error::BatchError;

/// A column of texts.
pub(crate) enum Texts<'a> {
    Utf8(&'a StringArray),
    LargeUtf8(&'a LargeStringArray),
    Utf8View(&'a StringViewArray),
    Binary(&'a BinaryArray),
    LargeBinary(&'a LargeBinaryArray),
    BinaryView(&'a BinaryViewArray),
    /// Of type null: none has a value.
    Null,
    /// The place of the value of each row, and the values.
    Dictionary(Vec<Option<usize>>, Box<Texts<'a>>),
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

impl<'a> Texts<'a> {
    /// The column `name` of a batch.
    ///
    /// # Errors
    ///
    /// When there is no such column, or it has no texts.
    pub(crate) fn of(batch: &'a RecordBatch, name: &str) -> Result<Texts<'a>, BatchError> {
        let column = column(batch, name)?;
        Texts::read(column).ok_or_else(|| wrong_type(column, name, TEXTS))
    }

    /// The column `name` of a batch, which may have whole numbers.
    ///
    /// # Errors
    ///
    /// When there is no such column, or it has neither texts nor whole numbers.
    pub(crate) fn or_numbers(batch: &'a RecordBatch, name: &str) -> Result<Texts<'a>, BatchError> {
        let column = column(batch, name)?;
        Texts::read(column)
            .or_else(|| Texts::of_numbers(column))
            .ok_or_else(|| wrong_type(column, name, NAMES))
    }

    fn read(array: &'a dyn Array) -> Option<Texts<'a>> {
        Some(match array.data_type() {
            DataType::Utf8 => Texts::Utf8(array.as_string()),
            DataType::LargeUtf8 => Texts::LargeUtf8(array.as_string()),
            DataType::Utf8View => Texts::Utf8View(array.as_string_view()),
            DataType::Binary => Texts::Binary(array.as_binary()),
            DataType::LargeBinary => Texts::LargeBinary(array.as_binary()),
            DataType::BinaryView => Texts::BinaryView(array.as_binary_view()),
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

    fn of_numbers(array: &dyn Array) -> Option<Texts<'a>> {
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

    /// The text in a row.
    ///
    /// # Errors
    ///
    /// When there is none.
    pub(crate) fn get(&self, row: usize) -> Result<&str, NoText> {
        fn of_bytes(bytes: &[u8]) -> Result<&str, NoText> {
            std::str::from_utf8(bytes).map_err(|error| NoText::NotUtf8(error.valid_up_to()))
        }
        if !self.is_valid(row) {
            return Err(NoText::Null);
        }
        match self {
            Texts::Utf8(array) => Ok(array.value(row)),
            Texts::LargeUtf8(array) => Ok(array.value(row)),
            Texts::Utf8View(array) => Ok(array.value(row)),
            Texts::Binary(array) => of_bytes(array.value(row)),
            Texts::LargeBinary(array) => of_bytes(array.value(row)),
            Texts::BinaryView(array) => of_bytes(array.value(row)),
            Texts::Null => Err(NoText::Null),
            Texts::Dictionary(places, values) => values.get(places[row].ok_or(NoText::Null)?),
            Texts::Numbers(numbers) => numbers[row].as_deref().ok_or(NoText::Null),
        }
    }

    fn is_valid(&self, row: usize) -> bool {
        match self {
            Texts::Utf8(array) => array.is_valid(row),
            Texts::LargeUtf8(array) => array.is_valid(row),
            Texts::Utf8View(array) => array.is_valid(row),
            Texts::Binary(array) => array.is_valid(row),
            Texts::LargeBinary(array) => array.is_valid(row),
            Texts::BinaryView(array) => array.is_valid(row),
            Texts::Null => false,
            Texts::Dictionary(..) | Texts::Numbers(_) => true,
        }
    }

    /// The text in a row, with replacements for what is not UTF-8; `None` if it is null.
    pub(crate) fn lossy(&self, row: usize) -> Option<Cow<'_, str>> {
        match (self, self.get(row)) {
            (_, Ok(text)) => Some(Cow::Borrowed(text)),
            (_, Err(NoText::Null)) => None,
            (Texts::Binary(array), _) => Some(String::from_utf8_lossy(array.value(row))),
            (Texts::LargeBinary(array), _) => Some(String::from_utf8_lossy(array.value(row))),
            (Texts::BinaryView(array), _) => Some(String::from_utf8_lossy(array.value(row))),
            (Texts::Dictionary(places, values), _) => values.lossy(places[row]?),
            (_, Err(NoText::NotUtf8(_))) => None,
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
