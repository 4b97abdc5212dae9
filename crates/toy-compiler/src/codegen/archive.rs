//! Archives: a static library of one object file, with the table of its symbols that linkers look in.

use ar_archive_writer::{
    ArchiveKind, DEFAULT_OBJECT_READER, NewArchiveMember, write_archive_to_stream,
};
use std::io::Cursor;
use toy_diagnostics::{Diagnosed, Diagnostic};

/// An archive of an object file, which has this name in it. Equal objects make equal archives.
pub fn archive(name: &str, object: &[u8]) -> Diagnosed<Vec<u8>> {
    let member = NewArchiveMember::new(object, &DEFAULT_OBJECT_READER, name.to_owned());
    let mut archive = Cursor::new(Vec::new());
    write_archive_to_stream(&mut archive, &[member], ArchiveKind::Gnu, false, None)
        .map_err(|error| Diagnostic::internal(format!("the archive: {error}")))?;
    Ok(archive.into_inner())
}
