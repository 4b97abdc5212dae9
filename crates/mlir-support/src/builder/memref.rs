//! `memref`: buffers and views of them.

use super::Builder;
use melior::ir::{Type, Value};

impl<'c, 'a> Builder<'c, 'a> {
    /// `memref.view`: a part of a buffer of bytes, from an offset on.
    pub fn view(self, bytes: Value<'c, 'a>, offset: u64, ty: Type<'c>) -> Value<'c, 'a> {
        let offset = self.index(offset);
        self.value("memref.view", &[bytes, offset], ty, &[])
    }

    /// `memref.copy`.
    pub fn copy(self, from: Value<'c, '_>, to: Value<'c, '_>) {
        self.op("memref.copy", &[from, to], &[], &[]);
    }

    /// `memref.cast`.
    pub fn cast(self, buffer: Value<'c, '_>, ty: Type<'c>) -> Value<'c, 'a> {
        self.value("memref.cast", &[buffer], ty, &[])
    }
}
