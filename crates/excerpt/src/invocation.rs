//! How this program was started, and how it is started again.

use std::ffi::OsString;
use std::process::Command;
use std::sync::OnceLock;

/// How the program was started.
#[derive(Clone, Debug)]
pub struct Invocation {
    /// What starts it: an executable, and arguments before those of the user. Empty if that is not
    /// known: then nothing is started in the background.
    pub program: Vec<OsString>,
    /// The arguments, with the name of the program as the first.
    pub arguments: Vec<OsString>,
    /// Makes the allocator return memory at once, which takes a little more time. Called by work
    /// that takes long.
    pub save_memory: fn(),
}

static STARTED: OnceLock<Invocation> = OnceLock::new();

impl Invocation {
    /// How a program of its own was started.
    #[must_use]
    pub fn of_program() -> Invocation {
        let program = std::env::current_exe().into_iter();
        Invocation {
            program: program.map(OsString::from).collect(),
            arguments: std::env::args_os().collect(),
            save_memory: || (),
        }
    }

    /// Keeps it for the whole process.
    pub(crate) fn keep(self) {
        let _ = STARTED.set(self);
    }
}

/// How the program was started.
pub(crate) fn started() -> &'static Invocation {
    STARTED.get_or_init(Invocation::of_program)
}

/// The program, to be started again with other arguments; `None` if it is not known how.
pub(crate) fn again() -> Option<Command> {
    let (program, arguments) = started().program.split_first()?;
    let mut command = Command::new(program);
    command.args(arguments);
    Some(command)
}
