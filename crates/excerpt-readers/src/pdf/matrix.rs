//! Transformations of coordinates: ISO 32000-1, 8.3.4.

use super::object::Object;

/// A transformation of coordinates.
#[derive(Clone, Copy, Debug)]
pub(super) struct Matrix(pub(super) [f64; 6]);

impl Matrix {
    pub(super) const UNIT: Matrix = Matrix([1.0, 0.0, 0.0, 1.0, 0.0, 0.0]);

    /// First this one, then the other.
    pub(super) fn then(self, other: Matrix) -> Matrix {
        let ([a, b, c, d, e, f], [g, h, i, j, k, l]) = (self.0, other.0);
        Matrix([
            a * g + b * i,
            a * h + b * j,
            c * g + d * i,
            c * h + d * j,
            e * g + f * i + k,
            e * h + f * j + l,
        ])
    }

    /// The matrix that an operator is given; `None` unless it has six numbers.
    pub(super) fn read(operands: &[Object]) -> Option<Matrix> {
        let numbers: Vec<f64> = operands.iter().filter_map(Object::number).collect();
        Some(Matrix(numbers.try_into().ok()?))
    }
}

/// The length of a vector. `f64::hypot` would need a newer C library than all else here.
pub(super) fn length((x, y): (f64, f64)) -> f64 {
    (x * x + y * y).sqrt()
}
