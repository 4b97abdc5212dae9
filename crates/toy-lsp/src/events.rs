//! What happens to the server: messages of the client, and what the workers say.

use crate::transport::Incoming;
use crate::worker;

/// What happens to the server.
pub enum Event {
    Client(Incoming),
    /// The client will send nothing more.
    InputEnded,
    /// Something about the worker with this number.
    Worker(u64, worker::Event),
}
