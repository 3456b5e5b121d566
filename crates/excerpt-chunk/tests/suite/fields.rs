//! The guide has every field of the table.

use excerpt_chunk::{FIELDS, Values};

#[test]
fn the_guide_has_every_flag_and_every_name() {
    let guide = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/guide/chunking.md");
    let guide = std::fs::read_to_string(guide).unwrap();
    for field in FIELDS {
        let flag = format!("--{}", field.flag);
        let mut mentions = guide.split(&flag).skip(1);
        assert!(
            mentions.any(|after| !after.starts_with(['-', '_'])),
            "`{flag}` is not in the guide"
        );
        if let Values::OneOf(names) = field.values {
            for name in names {
                assert!(guide.contains(&format!("`{name}`")), "{flag} {name}");
            }
        }
    }
}
