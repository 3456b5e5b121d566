//! What a client may take of the server.

use std::time::Duration;

/// The largest body of a request, in bytes: as large as a document may be by default, written as
/// JSON.
pub(super) const BODY_LIMIT: usize = 16 << 20;

/// The bytes of all bodies that are read at the same time, and of those of hooks, whose senders are
/// not known yet. A body of another size than is announced counts as the largest.
pub(super) const BODIES: usize = 32 << 20;
pub(super) const HOOK_BODIES: usize = 32 << 20;

/// How long a client may take to read a piece of an answer.
pub(super) const WRITE_TIME: Duration = Duration::from_secs(30);

/// How long a client may take to send a body.
pub(super) const BODY_TIME: Duration = Duration::from_secs(20);

/// The largest announced body that is read although it is too large, in bytes.
pub(super) const DISCARDED: u64 = 64 << 20;

/// The most requests that are answered at the same time; others are refused. Each search waits for
/// its turn besides.
pub(super) const AT_ONCE: usize = 2_048;

/// How long an answer may take to begin.
pub(super) const ANSWER_TIME: Duration = Duration::from_secs(60);

/// The longest address, in bytes.
pub(super) const LONGEST_ADDRESS: usize = 60 << 10;

/// The most connections. Another ends the oldest one on which no token was shown, and waits if
/// there is none.
pub(super) const CONNECTIONS: usize = 4_096;

/// How long a client may take to encrypt a connection, and to send the head of a request. It is
/// also how long a connection may be idle.
pub(super) const HANDSHAKE_TIME: Duration = Duration::from_secs(10);
pub(super) const HEAD_TIME: Duration = Duration::from_secs(20);

/// The most headers of a request, and the size of its head in bytes.
pub(super) const HEADERS: usize = 64;
pub(super) const HEAD_SIZE: usize = 80 << 10;

/// How long requests may take to end once the server stops.
pub(super) const FAREWELL: Duration = Duration::from_secs(10);

/// The pause when the system allows no more connections.
pub(super) const PAUSE: Duration = Duration::from_millis(50);
