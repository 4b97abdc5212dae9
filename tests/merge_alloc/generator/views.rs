//! Other names for buffers: parts, shapes, casts, and one of two.

use super::{Buffer, Generator, Kind};

impl Generator {
    pub(super) fn alias(&mut self) {
        let kind = self.kind();
        let buffer = self.plain(&kind);
        let Buffer { name, kind, r#type } = &buffer;
        let (new, element) = (self.name(), kind.element);
        let alias = |kind: Kind| Buffer::new(new.clone(), kind);
        let alias = match self.random.below(11) {
            0..=2 => {
                let (other, condition) = (self.plain(kind).name, self.condition());
                self.line(format_args!(
                    "{new} = arith.select {condition}, {name}, {other} : {type}"
                ));
                alias(kind.clone())
            }
            3 | 4 => match self.part(&buffer, &new) {
                Some(part) => part,
                None => return,
            },
            5 => {
                // To unknown sizes and back.
                let sizes = "?x".repeat(kind.sizes.len());
                let open = format!("memref<{sizes}{element}>");
                let middle = self.name();
                self.line(format_args!("{middle} = memref.cast {name} : {type} to {open}"));
                self.line(format_args!("{new} = memref.cast {middle} : {open} to {type}"));
                alias(kind.clone())
            }
            6 if !self.is_turns => {
                let (cast, same) = (self.name(), self.name());
                let open = format!("memref<*x{element}>");
                self.line(format_args!("{cast} = memref.cast {name} : {type} to {open}"));
                self.line(format_args!(
                    "{same} = func.call @same_{element}({cast}) : ({open}) -> {open}"
                ));
                self.line(format_args!("{new} = memref.cast {same} : {open} to {type}"));
                alias(kind.clone())
            }
            7 => {
                let aligned = &new;
                self.line(format_args!("{aligned} = memref.assume_alignment {name}, 4 : {type}"));
                alias(kind.clone())
            }
            8 => self.reshaped(&buffer, new),
            _ => match self.folded(&buffer, &new) {
                Some(folded) => folded,
                None => return,
            },
        };
        self.buffers.push(alias);
    }

    /// All but the first elements or rows.
    fn part(&mut self, buffer: &Buffer, new: &str) -> Option<Buffer> {
        let (name, t) = (&buffer.name, &buffer.r#type);
        let sizes = &buffer.kind.sizes;
        if sizes[0] < 2 {
            return None;
        }
        let offset = 1 + self.random.below(sizes[0] - 1);
        let rows = sizes[0] - offset;
        let kind = Kind { sizes: [&[rows], &sizes[1..]].concat(), ..buffer.kind.clone() };
        let (strides, start) = match sizes[1..] {
            [columns] => (format!("{columns}, 1"), offset * columns),
            _ => ("1".to_owned(), offset),
        };
        let plain = kind.r#type();
        let dims = plain.trim_end_matches('>');
        let r#type = format!("{dims}, strided<[{strides}], offset: {start}>>");
        let list = kind.sizes.iter().map(usize::to_string).collect::<Vec<_>>().join(", ");
        if self.random.chance(40) {
            self.line(format_args!(
                "{new} = memref.reinterpret_cast {name} to offset: [{start}], sizes: [{list}], \
                 strides: [{strides}] : {t} to {type}"
            ));
        } else {
            let (zeros, ones) = match sizes.len() {
                1 => ("", "1"),
                _ => (", 0", "1, 1"),
            };
            self.line(format_args!(
                "{new} = memref.subview {name}[{offset}{zeros}] [{list}] [{ones}] : {t} to {type}"
            ));
        }
        Some(Buffer { name: new.to_owned(), kind, r#type })
    }

    /// The same elements in one dimension, whose size is in another buffer.
    fn reshaped(&mut self, buffer: &Buffer, new: String) -> Buffer {
        let count = buffer.kind.count();
        let kind = Kind { sizes: vec![count], ..buffer.kind.clone() };
        let (shape, size) = (self.name(), self.name());
        self.line(format_args!("{shape} = memref.alloc() : memref<1xindex>"));
        self.line(format_args!("{size} = arith.constant {count} : index"));
        self.line(format_args!("memref.store {size}, {shape}[%n0] : memref<1xindex>"));
        self.line(format_args!(
            "{new} = memref.reshape {}({shape}) : ({}, memref<1xindex>) -> {}",
            buffer.name,
            buffer.r#type,
            kind.r#type()
        ));
        let one = Kind { element: "index", sizes: vec![1] };
        self.buffers.push(Buffer::new(shape, one));
        Buffer::new(new, kind)
    }

    /// Two dimensions as one, or one as two.
    fn folded(&mut self, buffer: &Buffer, new: &str) -> Option<Buffer> {
        let (name, t, kind) = (&buffer.name, &buffer.r#type, &buffer.kind);
        let sizes = match kind.sizes[..] {
            [rows, columns] => vec![rows * columns],
            [count] if count % 2 == 0 => vec![2, count / 2],
            [count] if count % 3 == 0 => vec![count / 3, 3],
            _ => return None,
        };
        let to = Kind { sizes, ..kind.clone() };
        let r#type = to.r#type();
        match to.sizes[..] {
            [a, b] => self.line(format_args!(
                "{new} = memref.expand_shape {name} [[0, 1]] output_shape [{a}, {b}] : {t} into {type}"
            )),
            _ => self.line(format_args!(
                "{new} = memref.collapse_shape {name} [[0, 1]] : {t} into {type}"
            )),
        }
        Some(Buffer::new(new.to_owned(), to))
    }
}
