//! The events of the server: messages of the client and of the workers.

use crate::transport::Transmitted;
use crate::worker;

/// An event of the server.
pub enum Event {
    Client(Transmitted),
    /// The client will send nothing more.
    InputEnded,
    /// Something about the worker with this number.
    Worker(u64, worker::Event),
}
