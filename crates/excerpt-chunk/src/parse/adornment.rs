//! Lines that are drawn with one character: underlines, rules and the marks around a block.

/// The character that a line consists of, repeated or alone. `None` for an empty line, one of
/// several characters, and one that is not ASCII.
pub(super) fn adornment(line: &str) -> Option<u8> {
    let (first, rest) = line.as_bytes().split_first()?;
    // Characters beyond ASCII consist of different bytes.
    rest.iter().all(|byte| byte == first).then_some(*first)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_adornment_is_one_character_repeated() {
        assert_eq!(adornment("===="), Some(b'='));
        assert_eq!(adornment("-"), Some(b'-'));
        assert_eq!(adornment("=-="), None);
        assert_eq!(adornment("éé"), None);
        assert_eq!(adornment(""), None);
    }
}
