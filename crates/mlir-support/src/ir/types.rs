//! Accessors of types.

use melior::ir::attribute::AttributeLike;
use melior::ir::r#type::{IntegerType, MemRefType};
use melior::ir::{Attribute, Type, TypeLike};

/// The namespace of the dialect of a type.
pub fn type_dialect<'c>(ty: Type<'c>) -> &'c str {
    // SAFETY: the dialect and its name are owned by the context, which outlives 'c; the names of
    // dialects are ASCII.
    unsafe {
        let dialect = mlir_sys::mlirTypeGetDialect(ty.to_raw());
        let raw = mlir_sys::mlirDialectGetNamespace(dialect);
        std::str::from_utf8(std::slice::from_raw_parts(raw.data.cast(), raw.length)).unwrap_or("")
    }
}

/// True if the layout of a memref type is the identity map itself, as `memref.view` makes it.
pub fn has_identity_layout(ty: MemRefType) -> bool {
    let layout = ty.layout().to_raw();
    // SAFETY: the layout is a live attribute, and its kind is checked before its map is read.
    unsafe {
        mlir_sys::mlirAttributeIsAAffineMap(layout)
            && mlir_sys::mlirAffineMapIsIdentity(mlir_sys::mlirAffineMapAttrGetValue(layout))
    }
}

/// True if a memref type names a memory space.
pub fn has_memory_space(ty: MemRefType) -> bool {
    ty.memory_space().is_some()
}

/// The sizes of a memref type; None if they are not all static.
pub fn static_sizes(ty: MemRefType) -> Option<Vec<u64>> {
    let raw = ty.to_raw();
    // SAFETY: the type is a live memref type, which has a rank; only its dimensions are read.
    unsafe {
        if !mlir_sys::mlirShapedTypeHasStaticShape(raw) {
            return None;
        }
        let dims = 0..mlir_sys::mlirShapedTypeGetRank(raw) as isize;
        dims.map(|dim| u64::try_from(mlir_sys::mlirShapedTypeGetDimSize(raw, dim)).ok()).collect()
    }
}

/// The width in bits of a signless integer type.
pub fn signless_width(ty: Type) -> Option<u32> {
    let ty = IntegerType::try_from(ty).ok()?;
    ty.is_signless().then(|| ty.width())
}

/// The width in bits of a floating-point type.
pub fn float_width(ty: Type) -> Option<u32> {
    // SAFETY: the type is live, and its kind is checked.
    unsafe {
        mlir_sys::mlirTypeIsAFloat(ty.to_raw())
            .then(|| mlir_sys::mlirFloatTypeGetWidth(ty.to_raw()))
    }
}

/// The element type of a complex type.
pub fn complex_element<'c>(ty: Type<'c>) -> Option<Type<'c>> {
    // SAFETY: the type is live, its kind is checked, and types live as long as their context.
    unsafe {
        mlir_sys::mlirTypeIsAComplex(ty.to_raw())
            .then(|| Type::from_raw(mlir_sys::mlirComplexTypeGetElementType(ty.to_raw())))
    }
}

/// The element type and the sizes of a vector type; None for one with scalable sizes, too.
pub fn fixed_vector<'c>(ty: Type<'c>) -> Option<(Type<'c>, Vec<u64>)> {
    // SAFETY: the type is live, its kind is checked, and types live as long as their context.
    unsafe {
        let raw = ty.to_raw();
        if !mlir_sys::mlirTypeIsAVector(raw) || mlir_sys::mlirVectorTypeIsScalable(raw) {
            return None;
        }
        let rank = mlir_sys::mlirShapedTypeGetRank(raw);
        let sizes = (0..rank).map(|dim| {
            u64::try_from(mlir_sys::mlirShapedTypeGetDimSize(raw, dim as isize)).unwrap_or(0)
        });
        Some((Type::from_raw(mlir_sys::mlirShapedTypeGetElementType(raw)), sizes.collect()))
    }
}

/// The layout of a memref type's elements; None: not known before run time.
pub struct Strided<'c> {
    pub element: Type<'c>,
    pub space: Option<Attribute<'c>>,
    /// No sizes and strides for a type without rank.
    pub sizes: Vec<Option<i64>>,
    pub strides: Vec<Option<i64>>,
    pub offset: Option<i64>,
}

/// A memref type, ranked or not, taken apart; None for other types and for layouts without strides.
pub fn strided<'c>(ty: Type<'c>) -> Option<Strided<'c>> {
    let raw = ty.to_raw();
    // SAFETY: the type is live, and its kind is checked before anything is read that only this kind has; the vector of
    // strides has room for all dimensions. Contents of types live as long as their context.
    unsafe {
        let is_ranked = mlir_sys::mlirTypeIsAMemRef(raw);
        if !is_ranked && !mlir_sys::mlirTypeIsAUnrankedMemRef(raw) {
            return None;
        }
        let known =
            |value: i64| (!mlir_sys::mlirShapedTypeIsDynamicStrideOrOffset(value)).then_some(value);
        let (mut sizes, mut strides, mut offset) = (Vec::new(), Vec::new(), 0);
        if is_ranked {
            let dims = 0..mlir_sys::mlirShapedTypeGetRank(raw) as isize;
            let size = |dim| {
                let is_dynamic = mlir_sys::mlirShapedTypeIsDynamicDim(raw, dim);
                (!is_dynamic).then(|| mlir_sys::mlirShapedTypeGetDimSize(raw, dim))
            };
            sizes = dims.map(size).collect();
            strides = vec![0; sizes.len()];
            let found =
                mlir_sys::mlirMemRefTypeGetStridesAndOffset(raw, strides.as_mut_ptr(), &mut offset);
            if found.value == 0 {
                return None;
            }
        }
        let space = if is_ranked {
            mlir_sys::mlirMemRefTypeGetMemorySpace(raw)
        } else {
            mlir_sys::mlirUnrankedMemrefGetMemorySpace(raw)
        };
        Some(Strided {
            element: Type::from_raw(mlir_sys::mlirShapedTypeGetElementType(raw)),
            space: (!space.ptr.is_null()).then(|| Attribute::from_raw(space)),
            sizes,
            strides: strides.into_iter().map(known).collect(),
            offset: known(offset),
        })
    }
}

/// The type of the elements of a tensor, vector or memref type.
pub fn element<'c>(ty: Type<'c>) -> Option<Type<'c>> {
    // SAFETY: the type is live, its kind is checked, and types live as long as their context.
    unsafe {
        mlir_sys::mlirTypeIsAShaped(ty.to_raw())
            .then(|| Type::from_raw(mlir_sys::mlirShapedTypeGetElementType(ty.to_raw())))
    }
}

/// The address space of a pointer type of the dialect `llvm`.
pub fn pointer_space(ty: Type) -> Option<u32> {
    // SAFETY: the type is live, and its kind is checked.
    unsafe {
        mlir_sys::mlirTypeIsALLVMPointerType(ty.to_raw())
            .then(|| mlir_sys::mlirLLVMPointerTypeGetAddressSpace(ty.to_raw()))
    }
}
