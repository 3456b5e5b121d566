//! Values that consist of their fields, which makes them pickled.

use pyo3::prelude::*;
use pyo3::types::PyTuple;

/// Lets a class with these fields be pickled and copied.
macro_rules! of_fields {
    ($class:ident { $($field:ident: $kind:ty),+ $(,)? }) => {
        #[pyo3::pymethods]
        impl $class {
            #[staticmethod]
            fn _made($($field: $kind),+) -> $class {
                $class { $($field),+ }
            }

            fn __reduce__<'py>(
                slf: &pyo3::Bound<'py, Self>,
            ) -> pyo3::PyResult<(
                pyo3::Bound<'py, pyo3::PyAny>,
                pyo3::Bound<'py, pyo3::types::PyTuple>,
            )> {
                use pyo3::IntoPyObject as _;
                let this = slf.get();
                let fields = ($(&this.$field,)+).into_pyobject(slf.py())?;
                $crate::fields::remade(slf.as_any(), &fields)
            }
        }
    };
}
pub(crate) use of_fields;

/// What makes a value with these fields again, in this process or another: a function, and its
/// arguments.
///
/// # Errors
///
/// Those of Python.
pub(crate) fn remade<'py>(
    value: &Bound<'py, PyAny>,
    fields: &Bound<'py, PyTuple>,
) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyTuple>)> {
    let py = value.py();
    let make = py.import("excerpt._pickle")?.getattr("value")?;
    Ok((
        make,
        PyTuple::new(py, [value.get_type().as_any(), fields.as_any()])?,
    ))
}
