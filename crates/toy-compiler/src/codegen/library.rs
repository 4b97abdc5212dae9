//! A shared library from one object file, without a linker: what a module of Python has in it.
//!
//! Input: an object file that [`object`](super::object) has made, so position-independent, with the runtime in it.
//! Output: the library. It calls itself directly, and other libraries through addresses that the loader writes. It has no
//! table of sections, nothing for debuggers, and no versions of symbols: the loader then takes the C library's first ones.
//! Invariant: a relocation that [`relocation`] does not know is an error, never a guess.
//!
//! ```text
//! read     headers, symbols, their names and hash table, what the loader relocates, constants
//! execute  code, and a stub for each function of another library
//! write    data, thread-local data, addresses that the loader writes, its table of all this, data that is zero
//! ```

mod relocation;
mod section;

use crate::codegen::math;
use crate::codegen::target::Machine;
use object::elf::*;
use object::{File, Object, ObjectSymbol, SymbolFlags, SymbolIndex};
use relocation::{Form, Target, loader, stub};
use section::{Reference, Section, Symbol, sections};
use std::collections::BTreeMap;
use std::ffi::{CString, c_char, c_void};
use toy_diagnostics::{Diagnostic, codes};

/// The largest page of memory that a processor may have: segments are as far from each other.
const PAGE: u64 = 1 << 16;
const SEGMENTS: usize = 3;
const HEADERS: usize = 64 + 56 * (SEGMENTS + 3);

/// The bytes of a stub, an entry of a symbol table, and one of the loader's relocations.
const STUB: usize = 16;
const SYMBOL: usize = 24;
const LOADED: usize = 24;

/// A word or two that the loader writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Slot {
    /// The address of a symbol.
    Address(Symbol),
    /// The number of this library among those with thread-local data.
    Module,
    /// How to find this byte of the thread-local data.
    Descriptor(u64),
}

/// The shared library.
///
/// # Errors
///
/// It calls a function that does not exist, as far as this machine knows.
pub fn of(object: &[u8], machine: &Machine) -> Result<Vec<u8>, Diagnostic> {
    let failed = |why: String| Diagnostic::internal(format!("the shared library: {why}"));
    let file = File::parse(object).map_err(|error| failed(error.to_string()))?;
    if machine.is_host && machine.has_host_library {
        let missing = file.symbols().filter(|it| it.is_undefined() && !it.is_weak());
        let missing = missing.filter_map(|it| it.name().ok()).filter(|name| !name.is_empty());
        if let Some(name) = missing.into_iter().find(|name| !exists(name)) {
            let message = format!("the library calls `{name}`, which is defined nowhere");
            return Err(Diagnostic::error(codes::LINK_FAILED, message));
        }
    }
    let sections = sections(&file).map_err(failed)?;
    let (out, slots, stubs) = (vec![0; HEADERS], BTreeMap::new(), BTreeMap::new());
    let local = ThreadLocal { address: 0, stored: 0, size: 0, align: 1 };
    let (segment, dynamic) = (0, Vec::new());
    let mut library = Library { file: &file, out, segment, sections, slots, stubs, local, dynamic };
    // The names of glibc's libraries; a process with another C library has all of it.
    let libraries = ["libc.so.6", "libm.so.6"];
    let has_libraries =
        if machine.c_library == "gnu" { 1 + usize::from(math::is_needed(object)) } else { 0 };
    library.link(&libraries[..has_libraries]).map_err(failed)?;
    Ok(library.out)
}

/// True if a library of this process has the function, as every process of this machine will.
fn exists(name: &str) -> bool {
    unsafe extern "C" {
        fn dlsym(library: *mut c_void, name: *const c_char) -> *mut c_void;
    }
    let Ok(name) = CString::new(name) else { return false };
    // SAFETY: null stands for all libraries of the process, and the name ends with a 0.
    !unsafe { dlsym(std::ptr::null_mut(), name.as_ptr()) }.is_null()
}

/// The thread-local data: how much of it is stored, and how much each thread has.
struct ThreadLocal {
    address: u64,
    stored: u64,
    size: u64,
    align: u64,
}

/// A word that the loader writes: its address, the number of the relocation, of a symbol if not 0, and what is added.
struct Loaded {
    place: u64,
    kind: u32,
    symbol: usize,
    addend: u64,
}

/// A library that is being made. The address of a byte is its offset in the file, and a page more for each segment.
struct Library<'d, 'f> {
    file: &'f File<'d>,
    out: Vec<u8>,
    segment: u64,
    sections: Vec<Section<'d>>,
    slots: BTreeMap<Slot, u64>,
    stubs: BTreeMap<Symbol, u64>,
    local: ThreadLocal,
    /// The loader's table: tags and values.
    dynamic: Vec<(u32, u64)>,
}

impl Library<'_, '_> {
    fn link(&mut self, libraries: &[&str]) -> Result<(), String> {
        self.place_thread_local();
        self.find_slots()?;
        let names = |it: &object::read::Symbol| it.name().is_ok_and(|name| !name.is_empty());
        let is_named =
            |it: &object::read::Symbol| names(it) && (it.is_undefined() || it.is_global());
        let symbols: Vec<_> = self.file.symbols().filter(is_named).map(|it| it.index().0).collect();
        let references = self.sections.iter().flat_map(|it| &it.relocations);
        let absolute = references.filter(|it| it.relocation.form == Form::Absolute64).count();
        let loaded_size = (self.slots.len() + absolute) * LOADED;

        let (symbol_table, loaded_at) = self.place_tables(&symbols, libraries, loaded_size)?;
        self.place_sections();
        let code_start = self.start_segment();
        self.place_sections();
        for symbol in self.stubs.keys().copied().collect::<Vec<_>>() {
            let place = self.reserve(STUB, 16);
            self.stubs.insert(symbol, place);
        }
        let data_start = self.start_segment();
        self.local.address = self.reserve(self.local.stored as usize, self.local.align);
        self.place_sections();
        for slot in self.slots.keys().copied().collect::<Vec<_>>() {
            let place = self.reserve(16, 8);
            self.slots.insert(slot, place);
        }
        let dynamic_at = self.place_dynamic();
        let end = self.place_zeros();

        self.write_symbols(&symbols, symbol_table)?;
        self.write_stubs()?;
        let loaded = self.relocate(&symbols)?;
        for (at, entry) in loaded.iter().enumerate() {
            let info = (entry.symbol as u64) << 32 | u64::from(entry.kind);
            let words = [entry.place, info, entry.addend].map(u64::to_le_bytes).concat();
            self.put(loaded_at + (at * LOADED) as u64, 0, &words);
        }
        self.write_headers([0, code_start, data_start], dynamic_at, end);
        Ok(())
    }

    /// Reserves zeros, and returns their address.
    fn reserve(&mut self, size: usize, align: u64) -> u64 {
        let start = self.out.len().next_multiple_of(align as usize);
        self.out.resize(start + size, 0);
        start as u64 + self.segment * PAGE
    }

    fn append(&mut self, bytes: &[u8], align: u64) -> u64 {
        let address = self.reserve(bytes.len(), align);
        self.put(address, self.segment, bytes);
        address
    }

    fn put(&mut self, address: u64, segment: u64, bytes: &[u8]) {
        let offset = (address - segment * PAGE) as usize;
        self.out[offset..offset + bytes.len()].copy_from_slice(bytes);
    }

    /// Begins another segment; returns the offset in the file.
    fn start_segment(&mut self) -> u64 {
        self.segment += 1;
        self.out.len() as u64
    }

    /// The places within the thread-local data.
    fn place_thread_local(&mut self) {
        let local = &mut self.local;
        for section in self.sections.iter_mut().filter(|it| it.is_thread_local) {
            section.place = local.size.next_multiple_of(section.align);
            local.size = section.place + section.size;
            local.align = local.align.max(section.align);
            if !section.is_zero() {
                local.stored = local.size;
            }
        }
    }

    fn find_slots(&mut self) -> Result<(), String> {
        let (mut slots, mut stubs) = (Vec::new(), Vec::new());
        for reference in self.sections.iter().flat_map(|it| &it.relocations) {
            slots.extend(self.slot(reference)?);
            if self.needs_stub(reference) {
                slots.push(Slot::Address(reference.symbol));
                stubs.push(reference.symbol);
            }
        }
        self.slots = slots.into_iter().map(|slot| (slot, 0)).collect();
        self.stubs = stubs.into_iter().map(|symbol| (symbol, 0)).collect();
        Ok(())
    }

    fn needs_stub(&self, reference: &Reference) -> bool {
        reference.relocation.target == Target::Function && self.defined(reference.symbol).is_none()
    }

    fn slot(&self, reference: &Reference) -> Result<Option<Slot>, String> {
        Ok(match reference.relocation.target {
            Target::Address => Some(Slot::Address(reference.symbol)),
            Target::Module => Some(Slot::Module),
            Target::Descriptor => {
                let place = self.address(reference.symbol)?;
                Some(Slot::Descriptor(place.wrapping_add_signed(reference.addend)))
            }
            Target::Symbol | Target::Function | Target::Local => None,
        })
    }

    /// The address of a symbol that is defined here, or its place within the thread-local data.
    fn defined(&self, symbol: Symbol) -> Option<u64> {
        let symbol = self.file.symbol_by_index(SymbolIndex(symbol)).ok()?;
        let section = self.sections.iter().find(|it| Some(it.index) == symbol.section_index())?;
        Some(section.place + symbol.address())
    }

    fn address(&self, symbol: Symbol) -> Result<u64, String> {
        self.defined(symbol).ok_or_else(|| {
            let name = self.name(symbol).unwrap_or_default();
            format!("`{name}` is used directly, and not defined")
        })
    }

    fn name(&self, symbol: Symbol) -> Result<String, String> {
        let symbol = self.file.symbol_by_index(SymbolIndex(symbol));
        symbol.and_then(|it| it.name().map(str::to_owned)).map_err(|error| error.to_string())
    }

    /// The tables for the loader, of which symbols and relocations are written later: the places of both.
    fn place_tables(
        &mut self,
        symbols: &[Symbol],
        libraries: &[&str],
        loaded_size: usize,
    ) -> Result<(u64, u64), String> {
        let symbol_table = self.reserve((1 + symbols.len()) * SYMBOL, 8);
        let mut names = vec![0];
        for library in libraries {
            self.dynamic.push((DT_NEEDED, names.len() as u64));
            names.extend(library.bytes().chain([0]));
        }
        for (at, symbol) in symbols.iter().enumerate() {
            let entry = symbol_table + ((1 + at) * SYMBOL) as u64;
            self.put(entry, 0, &(names.len() as u32).to_le_bytes());
            names.extend(self.name(*symbol)?.bytes().chain([0]));
        }
        let names_at = self.append(&names, 1);
        // One list of all symbols: its start, and for each the next one.
        let count = symbols.len() as u32 + 1;
        let next = (0..count).map(|at| if at == 0 || at + 1 == count { 0 } else { at + 1 });
        let table = [1, count, u32::from(count > 1)].into_iter().chain(next);
        let table: Vec<u8> = table.flat_map(u32::to_le_bytes).collect();
        let hash_at = self.append(&table, 8);
        let loaded_at = self.reserve(loaded_size, 8);
        self.dynamic.extend([
            (DT_HASH, hash_at),
            (DT_SYMTAB, symbol_table),
            (DT_SYMENT, SYMBOL as u64),
            (DT_STRTAB, names_at),
            (DT_STRSZ, names.len() as u64),
            (DT_RELA, loaded_at),
            (DT_RELASZ, loaded_size as u64),
            (DT_RELAENT, LOADED as u64),
        ]);
        Ok((symbol_table, loaded_at))
    }

    /// Copies the sections of this segment that have bytes.
    fn place_sections(&mut self) {
        for at in 0..self.sections.len() {
            let section = &self.sections[at];
            if section.segment == self.segment && !section.is_zero() {
                let (bytes, align) = (section.bytes, section.align);
                if section.is_thread_local {
                    self.put(self.local.address + section.place, self.segment, bytes);
                } else {
                    self.sections[at].place = self.append(bytes, align);
                }
            }
        }
    }

    /// The addresses of sections that are zero, behind all others; returns the last segment's end.
    fn place_zeros(&mut self) -> u64 {
        let mut end = self.reserve(0, 1);
        let is_zero = |it: &&mut Section| it.is_zero() && !it.is_thread_local;
        for section in self.sections.iter_mut().filter(is_zero) {
            section.place = end.next_multiple_of(section.align);
            end = section.place + section.size;
        }
        end
    }

    /// The loader's table; returns its address and size.
    fn place_dynamic(&mut self) -> (u64, u64) {
        for (name, start, size) in [
            (".init_array", DT_INIT_ARRAY, DT_INIT_ARRAYSZ),
            (".fini_array", DT_FINI_ARRAY, DT_FINI_ARRAYSZ),
        ] {
            let called: Vec<_> =
                self.sections.iter().filter(|it| it.name.starts_with(name)).collect();
            if let [first, ..] = called[..] {
                let bytes = called.iter().map(|it| it.size).sum();
                self.dynamic.extend([(start, first.place), (size, bytes)]);
            }
        }
        self.dynamic.push((DT_NULL, 0));
        let words = self.dynamic.iter().flat_map(|(tag, value)| [u64::from(*tag), *value]);
        let bytes: Vec<u8> = words.flat_map(u64::to_le_bytes).collect();
        (self.append(&bytes, 8), bytes.len() as u64)
    }

    /// Completes the table of symbols, which has their names.
    fn write_symbols(&mut self, symbols: &[Symbol], table: u64) -> Result<(), String> {
        for (at, index) in symbols.iter().enumerate() {
            let symbol = self
                .file
                .symbol_by_index(SymbolIndex(*index))
                .map_err(|error| error.to_string())?;
            let SymbolFlags::Elf { st_info, st_other } = symbol.flags() else { continue };
            let mut entry = vec![st_info, st_other];
            // The loader looks at the address of a definition alone.
            let section = u16::from(!symbol.is_undefined());
            entry.extend(section.to_le_bytes());
            entry.extend(self.defined(*index).unwrap_or(0).to_le_bytes());
            entry.extend(symbol.size().to_le_bytes());
            self.put(table + ((1 + at) * SYMBOL + 4) as u64, 0, &entry);
        }
        Ok(())
    }

    fn write_stubs(&mut self) -> Result<(), String> {
        for (symbol, place) in self.stubs.clone() {
            let word = self.slots[&Slot::Address(symbol)];
            let code = stub(self.file.architecture(), place as i64, word as i64);
            self.put(place, 1, &code.ok_or_else(too_far)?);
        }
        Ok(())
    }

    /// Writes all addresses. Returns what the loader writes.
    fn relocate(&mut self, symbols: &[Symbol]) -> Result<Vec<Loaded>, String> {
        let kinds = loader(self.file.architecture());
        let number = |symbol| symbols.iter().position(|it| *it == symbol).map_or(0, |at| at + 1);
        let address = |library: &Self, symbol, place, addend: i64| match library.defined(symbol) {
            Some(defined) => {
                let addend = defined.wrapping_add_signed(addend);
                Loaded { place, kind: kinds.relative, symbol: 0, addend }
            }
            None => {
                Loaded { place, kind: kinds.symbol, symbol: number(symbol), addend: addend as u64 }
            }
        };
        let mut loaded = Vec::new();
        for (slot, place) in &self.slots {
            let own = |kind, addend| Loaded { place: *place, kind, symbol: 0, addend };
            loaded.push(match slot {
                Slot::Address(symbol) => address(self, *symbol, *place, 0),
                Slot::Module => own(kinds.module, 0),
                Slot::Descriptor(place) => own(kinds.descriptor, *place),
            });
        }
        let mut sections = std::mem::take(&mut self.sections);
        let references = sections.iter_mut().map(|it| std::mem::take(&mut it.relocations));
        let references: Vec<_> = references.collect();
        self.sections = sections;
        for (at, references) in references.into_iter().enumerate() {
            let (start, segment) = (self.sections[at].place, self.sections[at].segment);
            if self.sections[at].is_thread_local && !references.is_empty() {
                return Err("thread-local data has addresses".to_owned());
            }
            for reference in references {
                let place = start + reference.offset;
                let form = reference.relocation.form;
                if form == Form::Absolute64 {
                    loaded.push(address(self, reference.symbol, place, reference.addend));
                    continue;
                }
                let to = match self.slot(&reference)? {
                    Some(slot @ Slot::Descriptor(_)) => {
                        (self.slots[&slot] as i64).wrapping_sub(reference.addend)
                    }
                    Some(slot) => self.slots[&slot] as i64,
                    None if self.needs_stub(&reference) => self.stubs[&reference.symbol] as i64,
                    None => self.address(reference.symbol)? as i64,
                };
                let offset = (place - segment * PAGE) as usize;
                let bytes = &mut self.out[offset..];
                form.write(bytes, to + reference.addend, place as i64).ok_or_else(too_far)?;
            }
        }
        Ok(loaded)
    }

    /// The headers of the file and of the segments; `end` is where the last segment ends in memory.
    fn write_headers(&mut self, starts: [u64; SEGMENTS], dynamic: (u64, u64), end: u64) {
        let machine = if self.file.architecture() == object::Architecture::Aarch64 {
            EM_AARCH64
        } else {
            EM_X86_64
        };
        let mut header = [&ELFMAG[..], &[ELFCLASS64, ELFDATA2LSB, EV_CURRENT], &[0; 9]].concat();
        header.extend([ET_DYN, machine].map(u16::to_le_bytes).concat());
        header.extend(u32::from(EV_CURRENT).to_le_bytes());
        header.extend([0_u64, 64, 0].map(u64::to_le_bytes).concat());
        header.extend(0_u32.to_le_bytes());
        let counts = [64_u16, 56, SEGMENTS as u16 + 3, 64, 0, 0];
        header.extend(counts.map(u16::to_le_bytes).concat());
        let mut segment =
            |kind: u32, flags: u32, address: u64, at: u64, sizes: [u64; 2], align: u64| {
                header.extend([kind, flags].map(u32::to_le_bytes).concat());
                let words = [address - at * PAGE, address, address, sizes[0], sizes[1], align];
                header.extend(words.map(u64::to_le_bytes).concat());
            };
        let file_end = self.out.len() as u64;
        let ends = [starts[1], starts[2], file_end];
        for (at, flags) in [PF_R, PF_R | PF_X, PF_R | PF_W].into_iter().enumerate() {
            let shift = at as u64 * PAGE;
            let size = ends[at] - starts[at];
            let in_memory = if at + 1 == SEGMENTS { end - starts[at] - shift } else { size };
            segment(PT_LOAD, flags, starts[at] + shift, at as u64, [size, in_memory], PAGE);
        }
        let local = &self.local;
        segment(PT_TLS, PF_R, local.address, 2, [local.stored, local.size], local.align);
        segment(PT_DYNAMIC, PF_R | PF_W, dynamic.0, 2, [dynamic.1, dynamic.1], 8);
        segment(PT_GNU_STACK, PF_R | PF_W, 0, 0, [0, 0], 16);
        self.put(0, 0, &header);
    }
}

fn too_far() -> String {
    "it is too large".to_owned()
}
