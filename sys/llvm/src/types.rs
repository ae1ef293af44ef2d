//! A type.

use llvm_sys::LLVMTypeKind;
use llvm_sys::core::*;
use llvm_sys::prelude::*;
use std::fmt;
use std::marker::PhantomData;

/// A type of LLVM's.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Type<'c> {
    pub(crate) raw: LLVMTypeRef,
    context: PhantomData<&'c ()>,
}

/// What a type is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// No value.
    Void,
    /// An integer.
    Int,
    /// IEEE single.
    Float,
    /// IEEE double.
    Double,
    /// x87 extended.
    X87,
    /// A pointer.
    Pointer,
    /// A struct.
    Struct,
    /// An array.
    Array,
    /// A vector of fixed length.
    Vector,
    /// A function.
    Function,
    /// A block label.
    Label,
    /// Metadata.
    Metadata,
    /// Anything else: half, bfloat, fp128, scalable vectors, tokens..
    Other,
}

impl<'c> Type<'c> {
    pub(crate) fn from_raw(raw: LLVMTypeRef) -> Type<'c> {
        Type { raw, context: PhantomData }
    }

    /// The name of a struct; none if it has none, or is no struct.
    #[must_use]
    pub fn struct_name(self) -> Option<String> {
        if self.kind() != Kind::Struct {
            return None;
        }
        // SAFETY: the type is alive with its context and a struct; the name ends with a NUL.
        unsafe {
            let name = LLVMGetStructName(self.raw);
            (!name.is_null()).then(|| std::ffi::CStr::from_ptr(name).to_string_lossy().into_owned())
        }
    }

    /// Whether it has a size: a struct that is only declared has none.
    #[must_use]
    pub fn is_sized(self) -> bool {
        llvm! { LLVMTypeIsSized(self.raw) != 0 }
    }

    /// What it is.
    #[must_use]
    pub fn kind(self) -> Kind {
        // SAFETY: the type is alive with its context.
        match unsafe { LLVMGetTypeKind(self.raw) } {
            LLVMTypeKind::LLVMVoidTypeKind => Kind::Void,
            LLVMTypeKind::LLVMIntegerTypeKind => Kind::Int,
            LLVMTypeKind::LLVMFloatTypeKind => Kind::Float,
            LLVMTypeKind::LLVMDoubleTypeKind => Kind::Double,
            LLVMTypeKind::LLVMX86_FP80TypeKind => Kind::X87,
            LLVMTypeKind::LLVMPointerTypeKind => Kind::Pointer,
            LLVMTypeKind::LLVMStructTypeKind => Kind::Struct,
            LLVMTypeKind::LLVMArrayTypeKind => Kind::Array,
            LLVMTypeKind::LLVMVectorTypeKind => Kind::Vector,
            LLVMTypeKind::LLVMFunctionTypeKind => Kind::Function,
            LLVMTypeKind::LLVMLabelTypeKind => Kind::Label,
            LLVMTypeKind::LLVMMetadataTypeKind => Kind::Metadata,
            _ => Kind::Other,
        }
    }

    /// Width of an integer type, 0 for others.
    #[must_use]
    pub fn int_width(self) -> u32 {
        // SAFETY: asked only of integer types.
        if self.kind() == Kind::Int { unsafe { LLVMGetIntTypeWidth(self.raw) } } else { 0 }
    }

    /// Address space of a pointer type, 0 for others.
    #[must_use]
    pub fn address_space(self) -> u32 {
        // SAFETY: asked only of pointer types.
        if self.kind() == Kind::Pointer { unsafe { LLVMGetPointerAddressSpace(self.raw) } } else { 0 }
    }

    /// Width in bits of an integer, float, double or pointer; none for others.
    #[must_use]
    pub fn scalar_width(self) -> Option<u32> {
        match self.kind() {
            Kind::Int => Some(self.int_width()),
            Kind::Float => Some(32),
            Kind::Double | Kind::Pointer => Some(64),
            _ => None,
        }
    }

    /// The parts of a struct, or the elements of an array or vector, one by one.
    #[must_use]
    pub fn parts(self) -> Vec<Type<'c>> {
        // SAFETY: each question is asked only of the kind it fits.
        unsafe {
            match self.kind() {
                Kind::Struct => (0..LLVMCountStructElementTypes(self.raw))
                    .map(|index| Type::from_raw(LLVMStructGetTypeAtIndex(self.raw, index)))
                    .collect(),
                Kind::Array => {
                    vec![Type::from_raw(LLVMGetElementType(self.raw)); LLVMGetArrayLength2(self.raw) as usize]
                }
                Kind::Vector => {
                    vec![Type::from_raw(LLVMGetElementType(self.raw)); LLVMGetVectorSize(self.raw) as usize]
                }
                _ => Vec::new(),
            }
        }
    }

    /// Element type of an array or vector.
    ///
    /// # Panics
    /// If it is neither.
    #[must_use]
    pub fn element(self) -> Type<'c> {
        assert!(matches!(self.kind(), Kind::Array | Kind::Vector), "{self:?} has no elements");
        // SAFETY: it is an array or vector.
        Type::from_raw(unsafe { LLVMGetElementType(self.raw) })
    }

    /// An array of `count` of these.
    #[must_use]
    pub fn array(self, count: u64) -> Type<'c> {
        // SAFETY: any sized type may be an element; LLVM checks.
        Type::from_raw(unsafe { LLVMArrayType2(self.raw, count) })
    }

    /// A vector of `count` of these.
    #[must_use]
    pub fn vector(self, count: u32) -> Type<'c> {
        // SAFETY: asked for scalar types only.
        Type::from_raw(unsafe { LLVMVectorType(self.raw, count) })
    }

    /// The function type with this result.
    #[must_use]
    pub fn function(self, params: &[Type<'c>], variadic: bool) -> Type<'c> {
        let mut params: Vec<LLVMTypeRef> = params.iter().map(|param| param.raw).collect();
        // SAFETY: the types are of one context.
        Type::from_raw(unsafe {
            LLVMFunctionType(self.raw, params.as_mut_ptr(), params.len() as u32, i32::from(variadic))
        })
    }

    /// Result of a function type.
    #[must_use]
    pub fn result(self) -> Type<'c> {
        // SAFETY: asked of function types only.
        Type::from_raw(unsafe { LLVMGetReturnType(self.raw) })
    }

    /// Parameters of a function type.
    #[must_use]
    pub fn params(self) -> Vec<Type<'c>> {
        // SAFETY: asked of function types only; LLVM fills exactly as many as it counted.
        unsafe {
            let count = LLVMCountParamTypes(self.raw) as usize;
            let mut raw = vec![std::ptr::null_mut(); count];
            LLVMGetParamTypes(self.raw, raw.as_mut_ptr());
            raw.into_iter().map(Type::from_raw).collect()
        }
    }

    /// Whether a function type takes more arguments.
    #[must_use]
    pub fn is_variadic(self) -> bool {
        // SAFETY: asked of function types only.
        unsafe { LLVMIsFunctionVarArg(self.raw) != 0 }
    }
}

impl fmt::Debug for Type<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        // SAFETY: the type is alive; the message is taken over.
        formatter.write_str(&unsafe { crate::context::take_message(LLVMPrintTypeToString(self.raw)) })
    }
}
