//! Letters with accents, as formats older than Unicode write them.

/// The marks, and for each one letters with their accented forms.
const ACCENTS: [(char, &str, &str); 8] = [
    ('\'', "aeiouyAEIOUYcnszCNSZ", "áéíóúýÁÉÍÓÚÝćńśźĆŃŚŹ"),
    ('`', "aeiouAEIOU", "àèìòùÀÈÌÒÙ"),
    ('^', "aeiouAEIOUcgC", "âêîôûÂÊÎÔÛĉĝĈ"),
    (':', "aeiouyAEIOU", "äëïöüÿÄËÏÖÜ"),
    ('~', "anoANO", "ãñõÃÑÕ"),
    ('v', "cdenrstzCDENRSTZ", "čďěňřšťžČĎĚŇŘŠŤŽ"),
    (',', "csCStT", "çşÇŞţŢ"),
    ('o', "aAuU", "åÅůŮ"),
];

/// The letter with the accent `mark`: `:` for two dots, `v` for a caron and `o` for a ring.
pub(super) fn accented(mark: char, letter: char) -> Option<char> {
    let (_, plain, written) = ACCENTS.iter().find(|(known, ..)| *known == mark)?;
    let at = plain.chars().position(|known| known == letter)?;
    written.chars().nth(at)
}
