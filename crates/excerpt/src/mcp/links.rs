//! The links of a document in an answer of `get`: as many as fit.

use excerpt_index::{Incoming, Links, Outgoing};
use excerpt_service::Scope;
use excerpt_service::text::address::address;
use excerpt_service::text::counted;
use serde_json::{Value, json};

use super::fence::{Fenced, measured};
use super::names::quoted;
use super::reply::Form;

/// The links as text, one per line, and as JSON, in at most `most` tokens: outgoing links in the
/// order of the text, then incoming ones.
pub(super) fn shown(scope: &Scope, links: &Links, form: Form, room: usize) -> (Fenced, Value) {
    let outgoing = links.outgoing.iter().map(|link| outgoing(scope, link));
    let incoming = links.incoming.iter().map(|link| incoming(scope, link));
    let total = links.outgoing.len() + links.incoming.len();
    let mut text = Fenced::default();
    let mut data = json!({"outgoing": [], "incoming": []});
    let mut left = room;
    let mut shown = 0;
    for (way, line, link) in outgoing.chain(incoming) {
        let taken = form.tokens(&measured(&line), &link);
        if taken > left {
            break;
        }
        left -= taken;
        shown += 1;
        text.line(&line);
        if let Some(links) = data[way].as_array_mut() {
            links.push(link);
        }
    }
    if total == 0 {
        text.line("no links");
    }
    if shown < total {
        let omitted = total - shown;
        text.line(&format!(
            "… {} left out to stay within `max_tokens`: ask for more tokens, or read a part",
            counted(omitted, "link")
        ));
        data["omitted"] = omitted.into();
    }
    (text, data)
}

/// The list that a link belongs to, the link as a line, and as JSON.
type LinkLine = (&'static str, String, Value);

fn outgoing(scope: &Scope, link: &Outgoing) -> LinkLine {
    let path = link.path.as_deref().map(|path| scope.outward(path));
    let section = link.section.as_ref().map(|section| format!("#{section}"));
    let target = scope.outward(&link.target).to_string() + &section.unwrap_or_default();
    let leads = path.map_or("nothing here".into(), address);
    let title = titled(link.title.as_deref());
    let line = format!("link :{} {} → {leads}{title}", link.line, address(&target));
    let data = json!({"line": link.line, "target": target, "path": path, "title": link.title});
    ("outgoing", line, data)
}

fn incoming(scope: &Scope, link: &Incoming) -> LinkLine {
    let path = scope.outward(&link.path);
    let title = titled(link.title.as_deref());
    let line = format!("linked from {}:{}{title}", address(path), link.line);
    let data =
        json!({"path": path, "line": link.line, "title": link.title, "section": link.section});
    ("incoming", line, data)
}

fn titled(title: Option<&str>) -> String {
    title.map_or(String::new(), |title| format!(" · {}", quoted(title)))
}
