//! The sections of an object file that a process has, and the places in them that refer to symbols.
//!
//! Input: an object file. Output: its sections in the order of their addresses; a [`Library`](super) gives them places.

use super::relocation::Relocation;
use object::elf::{SHF_ALLOC, SHF_EXECINSTR, SHF_TLS, SHF_WRITE};
use object::{
    File, Object, ObjectSection, RelocationFlags, RelocationTarget, SectionFlags, SectionIndex,
};

/// The number of a symbol in the object file.
pub type Symbol = usize;

/// The sections that a process has, in the order of their addresses.
pub fn sections<'d>(file: &File<'d>) -> Result<Vec<Section<'d>>, String> {
    let wrong = |error: object::Error| error.to_string();
    let mut sections = Vec::new();
    for section in file.sections() {
        let SectionFlags::Elf { sh_flags } = section.flags() else { continue };
        let has = |flag: u32| sh_flags & u64::from(flag) != 0;
        let name = section.name().map_err(wrong)?.to_owned();
        // Nothing unwinds the stack.
        if !has(SHF_ALLOC) || name == ".eh_frame" {
            continue;
        }
        let mut relocations = Vec::new();
        for (offset, found) in section.relocations() {
            let RelocationFlags::Elf { r_type } = found.flags() else { continue };
            let relocation = Relocation::of(file.architecture(), r_type);
            let (Some(relocation), RelocationTarget::Symbol(symbol)) = (relocation, found.target())
            else {
                return Err(format!("relocation {r_type} in `{name}` is not known"));
            };
            relocations.push(Reference {
                offset,
                relocation,
                symbol: symbol.0,
                addend: found.addend(),
            });
        }
        sections.push(Section {
            index: section.index(),
            name,
            bytes: section.data().map_err(wrong)?,
            size: section.size(),
            align: section.align().max(1),
            segment: if has(SHF_EXECINSTR) { 1 } else { 2 * u64::from(has(SHF_WRITE)) },
            is_thread_local: has(SHF_TLS),
            relocations,
            place: 0,
        });
    }
    // The functions that the loader calls are in several sections of one name.
    let order = |it: &Section| (it.segment, !it.is_thread_local, it.is_zero(), it.name.clone());
    sections.sort_by_key(order);
    Ok(sections)
}

/// A section with the place that it gets: its address, or within the thread-local data.
pub struct Section<'d> {
    pub index: SectionIndex,
    pub name: String,
    pub bytes: &'d [u8],
    pub size: u64,
    pub align: u64,
    pub segment: u64,
    pub is_thread_local: bool,
    pub relocations: Vec<Reference>,
    pub place: u64,
}

/// A place in a section that refers to a symbol.
pub struct Reference {
    pub offset: u64,
    pub relocation: Relocation,
    pub symbol: Symbol,
    pub addend: i64,
}

impl Section<'_> {
    pub fn is_zero(&self) -> bool {
        self.bytes.is_empty()
    }
}
