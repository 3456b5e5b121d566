//! Parsing within bounds of memory and work, whatever the text: [`parse`] gives a [`Parsed`] tree,
//! or none if it would take more.
//!
//! The parser reports its progress between steps, and a single step of its error recovery may copy
//! everything it holds: 12 kB of C made it take 4.7 GB. So the bound is checked at each allocation:
//! a parse has its own arena (`arena.c`) and is abandoned when that is full.
//!
//! This is the only module with `unsafe` code. Two conditions must hold: the contents of an arena
//! are used and released only while it is entered, and arenas are left in the reverse order of
//! entering. [`Parsed`] ensures both, as long as its tree and everything that walks over it are
//! dropped before it: it enters its arena when it is created, leaves it when it is dropped, and
//! never moves to another thread.

#![expect(unsafe_code, reason = "the allocator of tree-sitter, and a C function")]

use std::cell::Cell;
use std::ffi::{c_char, c_void};
use std::marker::PhantomData;
use std::mem::ManuallyDrop;
use std::ptr;
use std::sync::Once;

use excerpt_chunk::Document;
use tree_sitter::ffi::{
    TSInput, TSInputEncodingUTF8, TSParseOptions, TSParseState, TSParser, TSPoint, TSTree,
};
use tree_sitter::{Language, Node, Parser, Range, Tree};

// Bounds of a parse. Most are a constant plus an amount per byte of the text, such that of 38,000
// real files (405 MB in 23 languages: the sources of our dependencies, of Python and of its
// packages) none comes nearer to it than half, but for those named below. Nearly every text that
// reaches one was made to be slow, or is in another language.

/// The most bytes that a parse may hold, whatever the size of its text: a document may take at most
/// 160 MB, and its outline and chunks take up to 31 MB of it. Of the real files of 2 MiB that were
/// measured, one holds more: 132 MB.
const MOST_HELD: usize = 123 << 20;

/// The most bytes that it may hold. Real files of more than 10 kB hold 32 times their size
/// (median), 141 times at most.
const HELD: usize = 1 << 20;
const HELD_A_BYTE: usize = 300;

/// The most bytes that it may be given in total, including what it returns in between. Real files
/// are given 27 times their size (median), 131 times at most, except for one of 10 kB with 514
/// times.
const GIVEN: u64 = 4 << 20;
const GIVEN_A_BYTE: u64 = 300;

/// How many errors the parser may recover from: this many, and one more per [`BYTES_AN_ERROR`].
/// Each takes up to 50 microseconds: all tokens of the language are tried in all states. Of 46,043
/// real files (those above, and the headers of a system) one in ten has any, most of them less than
/// one in 1,000 bytes. 27 exceed this bound: tables of macros, read as lines.
const ERRORS: u64 = 30;
const BYTES_AN_ERROR: u64 = 100;

/// The most errors, whatever the size of the text: in languages with many states and tokens, such
/// as Elixir, each takes 0.4 milliseconds.
const MOST_ERRORS: u64 = 4000;

/// How often the parser may report progress: this often, and once more per [`BYTES_A_REPORT`] that
/// it has reached. One report stands for a hundred steps. Real files report once in 100 bytes
/// (median), once in 32 at most.
const REPORTS: usize = 50;
const BYTES_A_REPORT: usize = 16;

/// The text is read in parts of this many bytes. The number of reads is bounded per part, with a
/// constant on top: a search for an end that is missing reads the whole text again and again. Real
/// files read a part twice (median), 45 times at most.
const PART: usize = 4 << 10;
const READS: usize = 60;
const READS_A_PART: usize = 48;

/// A syntax tree, in an arena of its own.
pub(crate) struct Parsed {
    // Released together with the arena.
    tree: ManuallyDrop<Tree>,
    _arena: Arena,
}

impl Parsed {
    /// The root of the tree.
    pub(crate) fn root(&self) -> Node<'_> {
        self.tree.root_node()
    }
}

/// Parses a document, or the part of it in `range`. `None` if that takes too much, or if the
/// document is stopped.
pub(crate) fn parse(
    language: &Language,
    document: &Document<'_>,
    range: Option<Range>,
) -> Option<Parsed> {
    let text = document.text();
    let size = range.map_or(text.len(), |range| range.end_byte - range.start_byte);
    let arena = Arena::enter();
    let mut parser = Parser::new();
    // Grammars have the version of the library, as the tests of each language show, and a single
    // range is in order.
    let is_set = parser.set_language(language).is_ok()
        && parser.set_included_ranges(range.as_slice()).is_ok();
    if !is_set {
        return None;
    }
    let mut watch = Watch {
        document,
        text,
        reads: READS + size.div_ceil(PART) * READS_A_PART,
        reports: 0,
        reached: 0,
        stopped: false,
    };
    let held = (HELD + size * HELD_A_BYTE).min(MOST_HELD.saturating_sub(arena.around));
    let most = Most {
        held: held as u64,
        given: GIVEN + size as u64 * GIVEN_A_BYTE,
        errors: (ERRORS + size as u64 / BYTES_AN_ERROR).min(MOST_ERRORS),
    };
    let payload = ptr::from_mut(&mut watch).cast();
    let input = TSInput {
        payload,
        read: Some(read),
        encoding: TSInputEncodingUTF8,
        decode: None,
    };
    let options = TSParseOptions {
        payload,
        progress_callback: Some(progress),
    };
    let mut was_left = false;
    let parser = parser.into_raw();
    // SAFETY: the arena is entered, the parser was made in it, and the targets of the pointers
    // outlive the call.
    let tree = unsafe { excerpt_parse(parser, &input, &options, &most, &mut was_left) };
    if was_left {
        return None;
    }
    // SAFETY: the parser came back, so it is intact, and we own it.
    drop(unsafe { Parser::from_raw(parser) });
    if tree.is_null() {
        return None;
    }
    // SAFETY: the parser made this tree for us.
    let tree = ManuallyDrop::new(unsafe { Tree::from_raw(tree) });
    if watch.stopped {
        return None;
    }
    arena.keep();
    Some(Parsed {
        tree,
        _arena: arena,
    })
}

/// Gives the parser its text, and counts its work.
struct Watch<'a> {
    document: &'a Document<'a>,
    text: &'a str,
    /// How many more parts may be read.
    reads: usize,
    reports: usize,
    /// The farthest position reached, in bytes.
    reached: usize,
    stopped: bool,
}

unsafe extern "C" fn read(
    payload: *mut c_void,
    offset: u32,
    _: TSPoint,
    count: *mut u32,
) -> *const c_char {
    // SAFETY: `parse` passes its watch, and nothing else uses it during the callback.
    let watch = unsafe { &mut *payload.cast::<Watch<'_>>() };
    watch.reads = watch.reads.saturating_sub(1);
    watch.stopped |= watch.reads == 0;
    let start = watch.text.len().min(offset as usize);
    let end = match watch.stopped {
        true => start,
        // If a part ended inside a character, the parser would ask for the rest and not expect it
        // to be empty.
        false => watch.text.floor_char_boundary(start + PART),
    };
    let part = &watch.text.as_bytes()[start..end];
    // SAFETY: the parser passes a place for the count. A part is smaller than 4 GiB.
    unsafe { *count = part.len() as u32 };
    part.as_ptr().cast()
}

unsafe extern "C" fn progress(state: *mut TSParseState) -> bool {
    // SAFETY: the parser passes its state, with the watch as payload.
    let (state, watch) = unsafe { (&*state, &mut *(*state).payload.cast::<Watch<'_>>()) };
    watch.reports += 1;
    watch.reached = watch.reached.max(state.current_byte_offset as usize);
    watch.stopped |= watch.reports > REPORTS + watch.reached / BYTES_A_REPORT;
    watch.stopped |= watch.document.is_stopped();
    watch.stopped
}

thread_local! {
    /// The bytes that the arenas entered on this thread hold.
    static HELD_HERE: Cell<usize> = const { Cell::new(0) };
}

/// The state kept by `arena.c`.
#[repr(C)]
struct Raw {
    _private: [u8; 0],
}

unsafe extern "C" {
    fn excerpt_arena_install();
    fn excerpt_arena_new() -> *mut Raw;
    fn excerpt_arena_delete(arena: *mut Raw);
    fn excerpt_arena_enter(arena: *mut Raw) -> *mut Raw;
    fn excerpt_arena_held(arena: *const Raw) -> usize;
    fn excerpt_parse(
        parser: *mut TSParser,
        input: *const TSInput,
        options: *const TSParseOptions,
        most: *const Most,
        was_left: *mut bool,
    ) -> *mut TSTree;
}

/// The bounds of a parse.
#[repr(C)]
struct Most {
    /// Bytes held at once.
    held: u64,
    /// Bytes given in total.
    given: u64,
    /// Errors recovered from.
    errors: u64,
}

/// An arena that is entered on this thread.
struct Arena {
    raw: *mut Raw,
    before: *mut Raw,
    /// How many bytes the arenas around this one hold.
    around: usize,
    _thread: PhantomData<*mut ()>,
}

impl Arena {
    fn enter() -> Self {
        static INSTALL: Once = Once::new();
        // SAFETY: this crate has made no parser before; a parser of another crate has its memory
        // from the system, and returns it there while no arena is entered.
        INSTALL.call_once(|| unsafe { excerpt_arena_install() });
        // SAFETY: makes an arena and enters it. A null pointer means that the system refused a
        // kilobyte.
        let (raw, before) = unsafe {
            let raw = excerpt_arena_new();
            assert!(!raw.is_null(), "no memory is left");
            (raw, excerpt_arena_enter(raw))
        };
        Arena {
            raw,
            before,
            around: HELD_HERE.get(),
            _thread: PhantomData,
        }
    }

    /// Counts what this arena holds while others are entered.
    fn keep(&self) {
        // SAFETY: the arena exists until it is dropped.
        let held = unsafe { excerpt_arena_held(self.raw) };
        HELD_HERE.set(self.around + held);
    }
}

impl Drop for Arena {
    fn drop(&mut self) {
        HELD_HERE.set(self.around);
        // SAFETY: nothing uses its contents any more: the parser is gone, and so is everything that
        // walked over the tree.
        unsafe {
            let current = excerpt_arena_enter(self.before);
            debug_assert!(ptr::eq(current, self.raw), "arenas are left in order");
            excerpt_arena_delete(self.raw);
        }
    }
}
