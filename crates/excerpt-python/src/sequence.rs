//! What a sequence is indexed with.

use pyo3::PyClass;
use pyo3::call::PyCallArgs;
use pyo3::exceptions::{PyIndexError, PyOverflowError, PyTypeError};
use pyo3::prelude::*;
use pyo3::pyclass_init::PyClassInitializer;
use pyo3::types::{PyIterator, PyList, PySlice};

/// A place in a sequence, or a slice of it.
pub(crate) enum Subscript<'py> {
    /// Counted from the end if it is negative.
    At(isize),
    Slice(Bound<'py, PySlice>),
}

impl<'py> FromPyObject<'_, 'py> for Subscript<'py> {
    type Error = PyErr;

    fn extract(given: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        if let Ok(slice) = given.cast::<PySlice>() {
            return Ok(Subscript::Slice(slice.to_owned()));
        }
        given.extract().map(Subscript::At).map_err(|error| {
            match error.is_instance_of::<PyOverflowError>(given.py()) {
                true => PyIndexError::new_err("the index is out of range"),
                false => PyTypeError::new_err("an index is a whole number or a slice"),
            }
        })
    }
}

/// An iterator over all items of a sequence of `count`, each made by `item`.
///
/// # Errors
///
/// When there is no memory for them.
pub(crate) fn iterator<'py, T>(
    py: Python<'py>,
    count: usize,
    item: impl Fn(usize) -> T,
) -> PyResult<Bound<'py, PyIterator>>
where
    T: PyClass + Into<PyClassInitializer<T>>,
{
    let items = (0..count).map(|place| Bound::new(py, item(place)));
    PyList::new(py, items.collect::<PyResult<Vec<_>>>()?)?.try_iter()
}

/// What `index` or `count` of a sequence of Python returns: it compares the items. The first of
/// the `arguments` is the sequence.
///
/// # Errors
///
/// `ValueError` if `index` finds no such item.
pub(crate) fn found<'py>(
    py: Python<'py>,
    method: &str,
    arguments: impl PyCallArgs<'py>,
) -> PyResult<Bound<'py, PyAny>> {
    let class = py.import("collections.abc")?.getattr("Sequence")?;
    class.getattr(method)?.call1(arguments)
}

/// The items of a sequence of `count` at an index, each made by `item`.
///
/// # Errors
///
/// `IndexError` for a place that does not exist.
pub(crate) fn items<'py, T>(
    py: Python<'py>,
    index: &Subscript<'py>,
    count: usize,
    item: impl Fn(usize) -> T,
) -> PyResult<Bound<'py, PyAny>>
where
    T: PyClass + Into<PyClassInitializer<T>>,
{
    match index {
        Subscript::At(at) => {
            let place = match at {
                0.. => usize::try_from(*at).ok(),
                _ => count.checked_sub(at.unsigned_abs()),
            };
            let place = place.filter(|place| *place < count).ok_or_else(|| {
                PyIndexError::new_err(format!("there is no item {at}: there are {count}"))
            })?;
            Ok(Bound::new(py, item(place))?.into_any())
        }
        Subscript::Slice(slice) => {
            let range = slice.indices(count.try_into()?)?;
            let places = (0..range.slicelength).map(|number| {
                let number = isize::try_from(number).unwrap_or(0);
                usize::try_from(range.start + number * range.step).unwrap_or(0)
            });
            let items = places.map(|place| Bound::new(py, item(place)));
            let items = items.collect::<PyResult<Vec<_>>>()?;
            Ok(PyList::new(py, items)?.into_any())
        }
    }
}
