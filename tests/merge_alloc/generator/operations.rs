//! Operations that read and write buffers.

use super::{Buffer, Generator};

impl Generator {
    /// An operation on each element of two buffers, into a third one, which may be one of them.
    pub(super) fn combine(&mut self) {
        let a = self.any();
        let (b, to) = (self.of(&a.kind), self.of(&a.kind));
        let element = a.kind.element;
        let all_plain = a.is_plain() && b.is_plain() && to.is_plain();
        let operands = format!(
            "ins({}, {} : {}, {}) outs({} : {})",
            a.name, b.name, a.r#type, b.r#type, to.name, to.r#type
        );
        if all_plain && !a.kind.is_float() && element != "index" && self.random.chance(60) {
            let name = ["add", "sub", "max"][self.random.below(3)];
            self.line(format_args!("linalg.{name} {operands}"));
            return;
        }
        let map = identity_map(a.kind.sizes.len());
        let parallel = iterators("parallel", a.kind.sizes.len());
        let body = if a.kind.is_float() {
            format!(
                "%k = arith.constant 0.375 : {element}
%s = arith.addf %x, %y : {element}
%t = arith.mulf %s, %k : {element}
%r = arith.addf %t, %k : {element}"
            )
        } else {
            let name = ["addi", "subi", "xori"][self.random.below(3)];
            format!("%r = arith.{name} %x, %y : {element}")
        };
        self.line(format_args!(
            "linalg.generic {{indexing_maps = [{map}, {map}, {map}], iterator_types = [{parallel}]}} \
             {operands} {{\n^bb0(%x: {element}, %y: {element}, %z: {element}):\n{body}\n\
             linalg.yield %r : {element}\n}}"
        ));
    }

    pub(super) fn copy(&mut self) {
        let to = self.any();
        let from = self.of(&to.kind);
        if from.name == to.name {
            return;
        }
        let (a, b) = (&from.r#type, &to.r#type);
        if from.is_plain() && to.is_plain() {
            self.line(format_args!("memref.copy {}, {} : {a} to {b}", from.name, to.name));
        } else {
            self.line(format_args!("linalg.copy ins({} : {a}) outs({} : {b})", from.name, to.name));
        }
    }

    /// Moves one element.
    pub(super) fn element(&mut self) {
        let from = self.any();
        let (to, value) = (self.of(&from.kind), self.name());
        let zeros = vec!["%n0"; from.kind.sizes.len()].join(", ");
        self.line(format_args!("{value} = memref.load {}[{zeros}] : {}", from.name, from.r#type));
        self.line(format_args!("memref.store {value}, {}[{zeros}] : {}", to.name, to.r#type));
    }

    /// Adds all bits of a buffer to the checksum.
    pub(super) fn read(&mut self) {
        let buffer = self.any();
        self.read_of(&buffer);
    }

    fn read_of(&mut self, buffer: &Buffer) {
        let (rank, element) = (buffer.kind.sizes.len(), buffer.kind.element);
        let bits = match element {
            "f64" => "%w = arith.bitcast %x : f64 to i64",
            "f32" => "%i = arith.bitcast %x : f32 to i32\n%w = arith.extsi %i : i32 to i64",
            "index" => "%w = arith.index_cast %x : index to i64",
            "i8" => "%w = arith.extsi %x : i8 to i64",
            _ => "%w = arith.extsi %x : i32 to i64",
        };
        let map = identity_map(rank);
        let none = map.replace(&map[map.find("->").unwrap_or(0)..], "-> ()>");
        let reduction = iterators("reduction", rank);
        self.line(format_args!(
            "linalg.generic {{indexing_maps = [{map}, {none}], iterator_types = [{reduction}]}} \
             ins({} : {}) outs(%sum : memref<i64>) {{\n^bb0(%x: {element}, %h: i64):\n{bits}\n\
             %k = arith.constant 1000003 : i64\n%m = arith.muli %h, %k : i64\n\
             %r = arith.addi %m, %w : i64\nlinalg.yield %r : i64\n}}",
            buffer.name, buffer.r#type
        ));
    }
}

fn identity_map(rank: usize) -> String {
    let dims: Vec<_> = (0..rank).map(|dim| format!("d{dim}")).collect();
    let dims = dims.join(", ");
    format!("affine_map<({dims}) -> ({dims})>")
}

fn iterators(kind: &str, rank: usize) -> String {
    vec![format!("\"{kind}\""); rank].join(", ")
}
