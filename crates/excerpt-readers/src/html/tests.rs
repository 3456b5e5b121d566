//! Pages that nobody should have written, and what is and is not a page.

use proptest::prelude::*;

use super::{Html, is_page};
use crate::limits::ReadLimits;
use crate::reader::{FileReader, ReadError};

fn read(page: &str) -> Result<String, ReadError> {
    let read = Html.read(page.as_bytes(), &ReadLimits::default())?;
    assert!(read.places.is_empty());
    Ok(read.text)
}

#[track_caller]
fn assert_text(page: &str, text: &str) {
    assert_eq!(read(page).as_deref(), Ok(text), "{page}");
}

#[test]
fn end_tags_are_implied() {
    assert_text("<p>one<p>two<div>three", "one\n\ntwo\n\nthree\n");
    assert_text(
        "<ul><li>one<li>two<ul><li>three</ul><li>four",
        "- one\n- two\n  - three\n- four\n",
    );
    assert_text(
        "<dl><dt>one<dd>two<dt>three<dd>four</dl>five",
        "- one: two\n- three: four\n\nfive\n",
    );
    assert_text(
        "<table><tr><th>a<th>b<tr><td>1<td>2</table>end",
        "| a | b |\n| --- | --- |\n| 1 | 2 |\n\nend\n",
    );
    assert_text("<h1>one<h2>two</h1>three", "# one\n\n## two\n\nthree\n");
    assert_text(
        "<title>t</title><p>no body</body></html><p>more",
        "---\ntitle: \"t\"\n---\n\nno body\n\nmore\n",
    );
}

#[test]
fn tags_that_are_nested_wrongly_take_nothing_apart() {
    assert_text("<b><p>one</b> two</p>three", "one two\n\nthree\n");
    assert_text("<p>a</div></td></ul>b</p>", "ab\n");
    assert_text(
        "<a name=x><h2>title</h2><p>text <a href=y>link</a></p>",
        "## title {#x}\n\ntext [link](y)\n",
    );
    assert_text("<table><tr><td>a</p></div></table>b", "a\n\nb\n");
    assert_text("<p>a</br>b</p>", "a\nb\n");
    assert_text("<p>a<br/>b<script>var x = '</p>'</script>c", "a\nbc\n");
}

#[test]
fn words_are_neither_glued_nor_broken() {
    assert_text(
        "<p>a<b>b</b>c <i> d</i>e\n\t f&nbsp;g&shy;h\u{200b}i",
        "abc de f ghi\n",
    );
    assert_text("<td>one</td><td>two</td>", "one\n\ntwo\n");
    assert_text(
        "<p>one<input>two<button>x</button>three<svg></svg>four",
        "one two three four\n",
    );
    assert_text("<p><span>one</span> <span>two</span></p>", "one two\n");
    assert_text("<p>x<a href=u> y </a>z", "x [y](u) z\n");
    assert_text(
        "<p><code>a</code><code>b</code> <tt>c`d</tt>",
        "`ab` ``c`d``\n",
    );
    assert_text(
        "<p>a&lt;b&gt; &eacute;&#x1F600;&bogus; &amp;amp;",
        "a<b> é😀&bogus; &amp;\n",
    );
    assert_text("<p><a href=u>one<br></a>two", "[one](u)\ntwo\n");
}

#[test]
fn links_lead_somewhere() {
    assert_text(
        "<p><a href='javascript:f()'>a</a> <a href>b</a> <a href='#'>c</a> <a>d</a>",
        "a b c d\n",
    );
    assert_text(
        "<p><a href=' JavaScript:f()'>a</a> <a href='data:text/html,x'>b</a>",
        "a b\n",
    );
    assert_text("<p><a href='a b(c'>x]y</a>", "[x\\]y](a%20b%28c)\n");
    assert_text("<p><a href='f_(x)'>[x]</a>", "[[x]](f_(x))\n");
    assert_text(
        "<p><a href='https://a.example'>https://a.example</a>",
        "https://a.example\n",
    );
    assert_text(
        "<p><a href=u><code>f</code></a> <code><a href=u>g</a></code>",
        "[`f`](u) [`g`](u)\n",
    );
    assert_text("<p><code>V&lt;<a href=u>T</a>&gt;</code>", "`V<T>`\n");
    assert_text("<a href=u><p>one</p><p>two</p></a>", "one\n\ntwo\n");
}

#[test]
fn tables_are_bounded() {
    assert_text(
        "<table><tr><th colspan=99999999999999999999>a<th>b<tr><td rowspan=4000000000>1<td>2<tr><td>3",
        "| a | b |\n| --- | --- |\n| 1 | 2 |\n| 1 | 3 |\n",
    );
    let cells = "<td>x".repeat(100_000);
    let text = read(&format!("<table><tr>{cells}<tr><td>y<td>z</table>")).unwrap();
    assert_eq!(text.matches('x').count(), 100_000);
    let rows = "<tr><td>x".repeat(200_000);
    let page = format!(
        "<table><tr>{}{rows}",
        "<td rowspan=1000>".repeat(99) + "<td>y<td>y"
    );
    assert!(matches!(
        read(&page),
        Ok(_) | Err(ReadError::TooLarge { .. })
    ));
}

#[test]
fn a_table_with_few_cells_is_not_filled_with_empty_ones() {
    let wide = format!("<table><tr>{}", "<td>x".repeat(100));
    let short = |rows: usize| read(&format!("{wide}{}", "<tr><td>y".repeat(rows))).unwrap();
    // A table such as people write keeps its form.
    let filled = format!("| y {}|\n", "|  ".repeat(99));
    assert!(short(500).ends_with(&filled));
    let text = short(50_000);
    assert_eq!(text.matches("\n| y |").count(), 50_000);
    assert!(text.len() < 310_000, "{}", text.len());
    // The same with cells that go on in other rows and have too much text to be repeated.
    let spanning = format!("<td rowspan=1000>{}", "x".repeat(100)).repeat(99);
    let page = format!(
        "<table>{}",
        format!("<tr>{spanning}<td>y{}", "<tr><td>z".repeat(999)).repeat(20)
    );
    let text = read(&page).unwrap();
    assert_eq!(text.matches("\n| z |").count(), 999 * 20);
    assert!(text.len() < 2 * page.len(), "{}", text.len());
}

/// Each is read in time and memory that are linear in its size, and nothing overflows the stack.
#[test]
fn however_a_page_is_nested_it_is_read() {
    let times = |text: &str, count: usize| text.repeat(count);
    for page in [
        times("<div>", 100_000) + "x",
        times("<div>", 100_000) + "x" + &times("</div>", 100_000),
        times("<ul><li>", 100_000) + "x",
        times("<blockquote>", 100_000) + "x",
        times("<table><tr><td>", 100_000) + "x",
        times("<dl><dd>", 100_000) + "x",
        times("<span>", 100_000) + "x",
        times("<b>x", 100_000),
        times("<code>`", 100_000),
        times("<a href=x>x", 100_000),
        times("<q>x<sup>2", 100_000),
        times("<pre>x", 100_000),
        times("<", 1_000_000),
        times("&", 1_000_000),
        times("<!--", 100_000),
        times("<a b=\"", 100_000),
        "<a ".to_string() + &times("b=c ", 100_000),
        "x<svg>".to_string() + &times("<g/>", 100_000),
        times("a\0b", 100_000),
        times("<h1>x", 100_000),
        times("<section><aside><header>x", 100_000),
        format!("<table><thead>{}", times("<tr><th>x<th>y", 100_000)),
        format!("<div class='{}'>x", times("a ", 1_000_000)),
    ] {
        match read(&page) {
            Ok(_) | Err(ReadError::NoText | ReadError::TooLarge { .. }) => (),
            error => panic!("{error:?}"),
        }
    }
}

#[test]
fn a_page_keeps_to_its_limits() {
    let limits = ReadLimits {
        text: 1_000,
        ..ReadLimits::default()
    };
    let page = "<p>twenty bytes of text</p>".repeat(1_000);
    assert!(matches!(
        Html.read(page.as_bytes(), &limits),
        Err(ReadError::TooLarge { .. })
    ));
    let stop = std::sync::atomic::AtomicBool::new(true);
    let limits = ReadLimits::default().stopped_by(&stop);
    assert_eq!(Html.read(page.as_bytes(), &limits), Err(ReadError::Stopped));
    assert_eq!(read("<body><img src=a.png></body>"), Err(ReadError::NoText));
}

#[test]
fn a_page_is_complete_and_no_template() {
    for page in [
        "<!DOCTYPE html><p>text",
        "\u{feff}\n<!-- a comment --><html><body>text",
        "<?xml version='1.0'?><!DOCTYPE html PUBLIC 'x'><html><p>text",
        "Content-type: text/html\n\n<HTML><BODY>text",
        "<html><p>text<pre>{{ shown }} {% too %}</pre><code>&lt;?php</code>",
        "<html><script>let x = '{{ }} <% %>';</script><style>a{{}}</style><p>text",
    ] {
        assert!(is_page(page.as_bytes()), "{page}");
    }
    for source in [
        "",
        "<div>a part of a page</div>",
        "<p>text<html>",
        "{% extends 'base.html' %}<html><p>text",
        "<html><title>{{ title }}</title><p>text",
        "<html><p>Dear {{ name }},",
        "<html><a href='{{ url }}'>text</a>",
        "<html><body {% if x %}class=y{% endif %}>text",
        "<html><?php echo 1 ?><p>text",
        "<html><p><?= $x ?>",
        "<html><p><%= x %></p>",
        "<html><li *ngFor='let a of b'>text",
        "<html><p v-if='a'>text",
        "<html><p @click='a'>text",
        "<html><p [hidden]='a'>text",
        "<html><p th:text='a'>text",
        "<!doctype html><html><head><title>App</title></head><body><div id=app></div><script>x</script></body></html>",
    ] {
        assert!(!is_page(source.as_bytes()), "{source}");
    }
}

/// Parts of pages, from which others are made.
const PARTS: &[&str] = &[
    "<!doctype html><html lang=en><head><title>A title</title><meta name=author content=Ada></head>",
    "<body><nav><a href=x>away</a></nav><main><h1>One</h1><p>Text <a href='#a'>link</a> and <code>code</code>.</p>",
    "<h3 id=a>Three<a class=headerlink href='#a'>¶</a></h3><ul><li>one<ol start=4><li>two</ol></ul>",
    "<dl class='py function'><dt class=sig id=f>f(x)</dt><dd><p>What.</p><dl><dt>x<dd>y</dl></dd></dl>",
    "<table><caption>c</caption><thead><tr><th colspan=2>h</thead><tr><td rowspan=3>1<td>2<tr><td>é</table>",
    "<div class='highlight-python'><pre><span>a</span>\n\n  b &lt; ``` c</pre></div>",
    "<blockquote><p>q <q>r</q> x<sup>2</sup><br>z</blockquote><img alt='an image'>&amp;&nbsp;\u{1f600}",
    "<aside class=note>n</aside><details><summary>s</summary>t</details><math alttext='x'>y</math></main>",
    "<div class=fragment><div class=line>l</div>\n<div class=line>m</div></div><footer>f</footer>",
    "<div class='summary-table'><div class='col-first'>a</div><div>b</div></div><svg><title>no</title></svg>",
    "</p>",
    "</div>",
    "</table>",
    "<td>",
    "<li>",
    "</a>",
    "<",
    "&#x0;",
    "<!--",
    "\0",
    "\"",
    "<a href=\"",
];

/// A page of parts in any order, with bytes that are left out and repeated.
fn pages() -> impl Strategy<Value = Vec<u8>> {
    let parts = prop::collection::vec(prop::sample::select(PARTS), 0..24);
    let changes = prop::collection::vec((any::<prop::sample::Index>(), 0..40_usize, 0..4_u8), 0..8);
    (parts, changes).prop_map(|(parts, changes)| {
        let mut page = parts.concat().into_bytes();
        for (at, length, kind) in changes {
            if page.is_empty() {
                break;
            }
            let at = at.index(page.len());
            let end = page.len().min(at + length);
            match kind {
                0 => drop(page.drain(at..end)),
                1 => {
                    let part = page[at..end].to_vec();
                    page.splice(at..at, part);
                }
                2 => page[at] = page[at].wrapping_add(length as u8),
                _ => page.truncate(end),
            }
        }
        page
    })
}

proptest! {
    #[test]
    fn whatever_a_page_is_it_is_read_within_the_limits(page in pages(), limit in 0..600_usize) {
        let limits = ReadLimits { text: limit, ..ReadLimits::default() };
        is_page(&page);
        match Html.read(&page, &limits) {
            Ok(read) => prop_assert!(read.text.len() <= limit, "{}", read.text),
            Err(error) => prop_assert!(
                matches!(error, ReadError::NoText | ReadError::TooLarge { .. }),
                "{error}"
            ),
        }
    }
}
