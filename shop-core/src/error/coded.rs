//! Enums of errors, each value with what programs call it.

/// Defines an enum with what programs call each value; some ask another of these enums in their
/// turn.
macro_rules! coded {
    ($(#[$meta:meta])* pub enum $Name:ident {$(
        $(#[doc = $doc:literal])+ $(#[error($($text:tt)*)])?
        $Variant:ident $(($($tuple:tt)*))? $({ $($fields:tt)* })?
            $(= $code:literal)? $(by $pattern:pat => $inner:ident)?,
    )+}) => {
        $(#[$meta])* pub enum $Name {$(
            $(#[doc = $doc])+ $(#[error($($text)*)])?
            $Variant $(($($tuple)*))? $({ $($fields)* })?,
        )+}

        impl $Name {
            /// What programs call it. It stays the same in all versions, and is the `code` that
            /// shop-server answers with (docs/errors.md).
            pub fn code(&self) -> &'static str {
                match self {$(
                    $(Self::$Variant { .. } => $code,)?
                    $($pattern => $inner.code(),)?
                )+}
            }

            /// Its own codes, each with what its variant's documentation says. A value that asks
            /// another enum has an empty one.
            pub(super) const MEANINGS: &'static [(&'static str, &'static str)] =
                &[$(([$($code,)? ""][0], concat!($($doc),+))),+];
        }
    };
}
