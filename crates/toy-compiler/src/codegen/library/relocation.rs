//! The meaning of the relocations in our object files, on both architectures.
//!
//! Input: a number in an object file. Output: what it refers to, and how that is written. The tables have what LLVM makes
//! for position-independent code whose thread-local data is its own.

use object::Architecture;
use object::elf::*;

/// The target of a place in the code or in the data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Target {
    Symbol,
    /// A symbol that is called: of another library, its stub.
    Function,
    /// The word with the address of a symbol.
    Address,
    /// The words with the number of this library, for thread-local data.
    Module,
    /// The words with which thread-local data is found.
    Descriptor,
    /// The offset in the thread-local data.
    Local,
}

/// The form in which an address is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    Relative32,
    Offset32,
    Absolute64,
    /// AArch64: the distance in pages of 4 KiB, the address within one in units of a power of two, that of a branch.
    Page,
    InPage(u32),
    Branch,
    /// It marks an instruction.
    Nothing,
}

#[derive(Clone, Copy, Debug)]
pub struct Relocation {
    pub target: Target,
    pub form: Form,
}

impl Relocation {
    pub fn of(architecture: Architecture, kind: u32) -> Option<Self> {
        let (target, form) = match architecture {
            Architecture::X86_64 => x86_64(kind)?,
            Architecture::Aarch64 => aarch64(kind)?,
            _ => return None,
        };
        Some(Self { target, form })
    }
}

fn x86_64(kind: u32) -> Option<(Target, Form)> {
    Some(match kind {
        R_X86_64_64 => (Target::Symbol, Form::Absolute64),
        R_X86_64_PC32 => (Target::Symbol, Form::Relative32),
        R_X86_64_PLT32 => (Target::Function, Form::Relative32),
        R_X86_64_GOTPCREL | R_X86_64_GOTPCRELX | R_X86_64_REX_GOTPCRELX => {
            (Target::Address, Form::Relative32)
        }
        R_X86_64_TLSLD => (Target::Module, Form::Relative32),
        R_X86_64_DTPOFF32 => (Target::Local, Form::Offset32),
        _ => return None,
    })
}

fn aarch64(kind: u32) -> Option<(Target, Form)> {
    Some(match kind {
        R_AARCH64_ABS64 => (Target::Symbol, Form::Absolute64),
        R_AARCH64_PREL32 => (Target::Symbol, Form::Relative32),
        R_AARCH64_CALL26 | R_AARCH64_JUMP26 => (Target::Function, Form::Branch),
        R_AARCH64_ADR_PREL_PG_HI21 => (Target::Symbol, Form::Page),
        R_AARCH64_ADD_ABS_LO12_NC | R_AARCH64_LDST8_ABS_LO12_NC => {
            (Target::Symbol, Form::InPage(0))
        }
        R_AARCH64_LDST16_ABS_LO12_NC => (Target::Symbol, Form::InPage(1)),
        R_AARCH64_LDST32_ABS_LO12_NC => (Target::Symbol, Form::InPage(2)),
        R_AARCH64_LDST64_ABS_LO12_NC => (Target::Symbol, Form::InPage(3)),
        R_AARCH64_LDST128_ABS_LO12_NC => (Target::Symbol, Form::InPage(4)),
        R_AARCH64_ADR_GOT_PAGE => (Target::Address, Form::Page),
        R_AARCH64_LD64_GOT_LO12_NC => (Target::Address, Form::InPage(3)),
        R_AARCH64_TLSDESC_ADR_PAGE21 => (Target::Descriptor, Form::Page),
        R_AARCH64_TLSDESC_LD64_LO12 => (Target::Descriptor, Form::InPage(3)),
        R_AARCH64_TLSDESC_ADD_LO12 => (Target::Descriptor, Form::InPage(0)),
        R_AARCH64_TLSDESC_CALL => (Target::Descriptor, Form::Nothing),
        _ => return None,
    })
}

impl Form {
    /// Writes an address at a place, whose bytes begin with the old ones. None if it is too far away.
    pub fn write(self, bytes: &mut [u8], address: i64, place: i64) -> Option<()> {
        let narrow = |distance: i64| i32::try_from(distance).ok().map(i32::to_le_bytes);
        match self {
            Self::Relative32 => bytes[..4].copy_from_slice(&narrow(address - place)?),
            Self::Offset32 => bytes[..4].copy_from_slice(&narrow(address)?),
            Self::Absolute64 => bytes[..8].copy_from_slice(&address.to_le_bytes()),
            Self::Page => {
                let pages = (address >> 12) - (place >> 12);
                let pages = narrow(pages << 11).map(|_| pages as u32)?;
                or(bytes, (pages & 3) << 29 | (pages >> 2 & 0x7_ffff) << 5);
            }
            Self::InPage(unit) => or(bytes, ((address & 0xfff) as u32 >> unit) << 10),
            Self::Branch => {
                let distance = narrow((address - place) << 4).map(|_| (address - place) as u32)?;
                or(bytes, distance >> 2 & 0x3ff_ffff);
            }
            Self::Nothing => {}
        }
        Some(())
    }
}

/// Sets bits of an instruction.
fn or(bytes: &mut [u8], bits: u32) {
    for (byte, bits) in bytes.iter_mut().zip(bits.to_le_bytes()) {
        *byte |= bits;
    }
}

/// The numbers of the loader's relocations.
pub struct Loader {
    /// An address in this library.
    pub relative: u32,
    /// The address of a symbol of another library.
    pub symbol: u32,
    /// The number of this library, and how its thread-local data is found; an architecture has one of them.
    pub module: u32,
    pub descriptor: u32,
}

pub fn loader(architecture: Architecture) -> Loader {
    match architecture {
        Architecture::Aarch64 => Loader {
            relative: R_AARCH64_RELATIVE,
            symbol: R_AARCH64_GLOB_DAT,
            module: R_AARCH64_TLS_DTPMOD,
            descriptor: R_AARCH64_TLSDESC,
        },
        _ => Loader {
            relative: R_X86_64_RELATIVE,
            symbol: R_X86_64_GLOB_DAT,
            module: R_X86_64_DTPMOD64,
            descriptor: R_X86_64_TLSDESC,
        },
    }
}

/// A stub: it jumps to the address that is in a word. It fills 16 bytes.
pub fn stub(architecture: Architecture, place: i64, word: i64) -> Option<[u8; 16]> {
    let mut code = [0; 16];
    match architecture {
        Architecture::Aarch64 => {
            // adrp x16, word; ldr x17, [x16, word]; br x17
            for (at, instruction) in [0x9000_0010_u32, 0xf940_0211, 0xd61f_0220].iter().enumerate()
            {
                code[4 * at..][..4].copy_from_slice(&instruction.to_le_bytes());
            }
            Form::Page.write(&mut code, word, place)?;
            Form::InPage(3).write(&mut code[4..], word, place)?;
        }
        _ => {
            // jmp *word(%rip)
            code[..2].copy_from_slice(&[0xff, 0x25]);
            Form::Relative32.write(&mut code[2..], word, place + 6)?;
        }
    }
    Some(code)
}
