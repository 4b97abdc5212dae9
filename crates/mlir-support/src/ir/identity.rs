//! The identity of an element of the IR, as a key of maps and sets.
//!
//! Input: a value, an operation, a block, a type, an attribute, a location, or a module. Output: a number. Invariant:
//! two of one kind have the same number exactly if they are the same, as long as neither has been erased: a new object
//! can get the number of an erased one.

use melior::ir::{
    Attribute, AttributeLike, BlockLike, BlockRef, Location, Module, Type, TypeLike, Value,
    ValueLike,
    block::BlockArgument,
    operation::{Operation, OperationLike, OperationRef, OperationRefMut, OperationResult},
};

/// The identity of `it`: see the documentation of this module.
pub fn id(it: impl Identity) -> usize {
    it.id()
}

/// The types that [`id`] takes.
pub trait Identity {
    fn id(&self) -> usize;
}

impl<T: Identity> Identity for &T {
    fn id(&self) -> usize {
        (*self).id()
    }
}

macro_rules! identity {
    ($($type:ty),*) => {
        $(impl Identity for $type {
            fn id(&self) -> usize {
                self.to_raw().ptr as usize
            }
        })*
    };
}

identity!(
    Value<'_, '_>,
    BlockArgument<'_, '_>,
    OperationResult<'_, '_>,
    Operation<'_>,
    OperationRef<'_, '_>,
    OperationRefMut<'_, '_>,
    BlockRef<'_, '_>,
    Type<'_>,
    Attribute<'_>,
    Location<'_>,
    Module<'_>
);
