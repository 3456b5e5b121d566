//! What a message may take: the parser needs much more room than the bytes of some messages.

use crate::reader::ReadError;

use super::mailbox::lines;

/// The name of the field that says what a part is.
const CONTENT_TYPE: &[u8] = b"content-type";

/// How many parts of a message may say what they are: one may be a message within it, and each that
/// is within another takes room on the stack.
pub(super) const MOST_TYPES: usize = 500;

/// How many parts of a message may consist of parts: the end of each is looked for.
pub(super) const MOST_IN_PARTS: usize = 200;

/// How many fields and parts a message may have: each takes much more room than its bytes.
const MOST_FIELDS: usize = 200_000;

/// How long a field with parameters may be, in bytes, and how many parts of parameters it may have:
/// each part is looked up among the parameters before it. Only a field beyond both is too much.
const LONGEST_FIELD: usize = 8 << 10;
const MOST_PARTS_OF_PARAMETERS: usize = 100;

/// An error for a message that would take much more room than its bytes, or much time: with very
/// many fields, parts or parts of parameters, or with parts in parts. What may be one counts,
/// however it is written.
pub(super) fn check(message: &[u8]) -> Result<(), ReadError> {
    let (mut types, mut in_parts, mut fields) = (0, 0, 0);
    // The field with parameters that goes on, and the marks of parts in it.
    let (mut length, mut marks) = (0, 0);
    for line in lines(message) {
        let goes_on = matches!(line, [b' ' | b'\t', ..]) && length > 0;
        if !goes_on {
            (length, marks) = (0, 0);
        }
        if goes_on || has_parameters(line) {
            length += line.len();
            marks += line.iter().filter(|byte| **byte == b'*').count();
        }
        if length > LONGEST_FIELD && marks > MOST_PARTS_OF_PARAMETERS {
            return Err(ReadError::damaged(format!(
                "a field of it has more than {MOST_PARTS_OF_PARAMETERS} parts of parameters"
            )));
        }
        fields += usize::from(line.starts_with(b"--") || line.contains(&b':'));
        let (name, value) = line
            .trim_ascii_start()
            .split_at_checked(CONTENT_TYPE.len())
            .unwrap_or_default();
        if name.eq_ignore_ascii_case(CONTENT_TYPE) {
            types += 1;
            let kind = value.to_ascii_lowercase();
            in_parts += usize::from(kind.windows(10).any(|part| part == b"multipart/"));
        }
    }
    for (count, most, what) in [
        (types, MOST_TYPES, "parts and messages within it"),
        (in_parts, MOST_IN_PARTS, "parts with parts"),
        (fields, MOST_FIELDS, "fields or parts"),
    ] {
        if count > most {
            return Err(ReadError::damaged(format!(
                "it has more than {most} {what}"
            )));
        }
    }
    Ok(())
}

/// Whether a line may begin a field with parameters.
fn has_parameters(line: &[u8]) -> bool {
    let line = line.trim_ascii_start();
    let is = |name: &[u8]| {
        let given = line.get(..name.len());
        given.is_some_and(|given| given.eq_ignore_ascii_case(name))
    };
    is(CONTENT_TYPE) || is(b"content-disposition")
}
