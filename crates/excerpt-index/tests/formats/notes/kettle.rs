//! A kettle.

/// Heats water to so many degrees.
pub fn heat(degrees: u8) -> bool {
    degrees < 100
}

/// Pours it.
pub fn pour(cups: usize) -> usize {
    cups + 1
}
