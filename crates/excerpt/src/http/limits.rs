//! What a client may take of the server.

use std::time::Duration;

/// The largest body of a request, in bytes: as large as a document may be by default, written as
/// JSON.
pub(super) const BODY_LIMIT: usize = 16 << 20;

/// How long a client may take to send a body.
pub(super) const BODY_TIME: Duration = Duration::from_secs(20);

/// The most requests that are answered at the same time; others are refused. Each search waits for
/// its turn besides.
pub(super) const AT_ONCE: usize = 2_048;

/// How long an answer may take to begin.
pub(super) const ANSWER_TIME: Duration = Duration::from_secs(60);

/// The longest address, in bytes.
pub(super) const LONGEST_ADDRESS: usize = 60 << 10;

/// The most connections; more wait until one ends.
pub(super) const CONNECTIONS: usize = 4_096;

/// How long a client may take to encrypt a connection, and to send the head of a request. It is also
/// how long a connection may be idle.
pub(super) const HANDSHAKE_TIME: Duration = Duration::from_secs(10);
pub(super) const HEAD_TIME: Duration = Duration::from_secs(20);

/// The most headers of a request, and the size of its head in bytes.
pub(super) const HEADERS: usize = 64;
pub(super) const HEAD_SIZE: usize = 80 << 10;

/// How long requests may take to end once the server stops.
pub(super) const FAREWELL: Duration = Duration::from_secs(10);

/// The pause when the system allows no more connections.
pub(super) const PAUSE: Duration = Duration::from_millis(50);
