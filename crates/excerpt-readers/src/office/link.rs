//! Links in the text of a paragraph.

/// How long the target of a link is, in bytes. A longer one is left out.
const TARGET: usize = 4_000;

/// Makes the text from `start` a link.
pub(crate) fn link(text: &mut String, start: usize, target: &str) {
    let Some(inner) = text.get(start..) else {
        return;
    };
    let label = inner.trim();
    let target = target.trim();
    if target.len() > TARGET
        || label.is_empty()
        || target.is_empty()
        || target == label
        || target.contains(['\n', '\r'])
    {
        return;
    }
    let before = &inner[..inner.len() - inner.trim_start().len()];
    let after = &inner[inner.trim_end().len()..];
    let is_simple = !target.contains([' ', '(', ')', '<', '>']);
    let link = match is_simple {
        true => format!("{before}[{label}]({target}){after}"),
        false => {
            let target = target.replace(['<', '>'], "");
            format!("{before}[{label}](<{target}>){after}")
        }
    };
    text.truncate(start);
    text.push_str(&link);
}
