//! Facts about a context's types and attributes that are computed once.
//!
//! Input: a context and a kind of memo. Output: the memo, which is empty at first. Invariant: a memo belongs to the
//! [`Session`](crate::Session) that has the context and goes away with it, so that the addresses of types may be its
//! keys: no type of another context is ever looked up in it. A context without a session does not have memos.

use melior::ContextRef;
use std::any::{Any, TypeId};
use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::{Rc, Weak};

/// The memos of one session, by their types.
pub type Memos = RefCell<HashMap<TypeId, Rc<dyn Any>>>;

thread_local! {
    /// The memos of the contexts of this thread, by the addresses of the contexts. The sessions own them.
    static BY_CONTEXT: RefCell<HashMap<usize, Weak<Memos>>> = RefCell::default();
}

/// The memo of type `T` for a context; None for a context without a session.
pub fn of<T: Default + 'static>(context: ContextRef) -> Option<Rc<T>> {
    let memos = BY_CONTEXT.with_borrow(|all| all.get(&address(context)).and_then(Weak::upgrade))?;
    let memo = Rc::clone(
        memos.borrow_mut().entry(TypeId::of::<T>()).or_insert_with(|| Rc::new(T::default())),
    );
    memo.downcast().ok()
}

/// The memos for a new session with this context.
pub(crate) fn open(context: &melior::Context) -> Rc<Memos> {
    let memos = Rc::<Memos>::default();
    BY_CONTEXT.with_borrow_mut(|all| {
        all.retain(|_, memos| memos.strong_count() > 0);
        all.insert(context.to_raw().ptr as usize, Rc::downgrade(&memos));
    });
    memos
}

fn address(context: ContextRef) -> usize {
    // SAFETY: a reference to a live context, used for its address only.
    unsafe { context.to_ref() }.to_raw().ptr as usize
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Session;
    use melior::ir::Type;
    use melior::ir::TypeLike;
    use std::cell::Cell;

    #[test]
    fn a_memo_lives_as_long_as_its_session() {
        let session = Session::new();
        let count = |session: &Session| {
            let context = Type::index(session.context()).context();
            let memo = of::<Cell<u32>>(context).unwrap();
            memo.set(memo.get() + 1);
            memo.get()
        };
        assert_eq!((count(&session), count(&session)), (1, 2));
        let other = Session::new();
        assert_eq!((count(&other), count(&session)), (1, 3));
        drop(session);
        assert_eq!(count(&Session::new()), 1);
    }
}
