//! Enums of errors, each value with what programs call it.

/// Defines enums with what programs call each value; some ask one of these enums in their turn.
macro_rules! coded {
    ($($(#[$meta:meta])* pub enum $Name:ident {$(
        $(#[$of:meta])* $Variant:ident $(($($tuple:tt)*))? $({ $($fields:tt)* })?
            $(= $code:literal)? $(by $pattern:pat => $inner:ident)?,
    )+})+) => {
        $($(#[$meta])* pub enum $Name {
            $($(#[$of])* $Variant $(($($tuple)*))? $({ $($fields)* })?,)+
        }

        impl $Name {
            /// What programs call it. It stays the same in all versions, and is the `code` that
            /// shop-server answers with (docs/errors.md).
            pub fn code(&self) -> &'static str {
                match self {$(
                    $(Self::$Variant { .. } => $code,)?
                    $($pattern => $inner.code(),)?
                )+}
            }
        })+

        impl Error {
            /// Every code there is; some errors share one.
            ///
            /// ```
            /// use shop_core::Error;
            /// use shop_core::error::{Entity, Refusal};
            ///
            /// assert_eq!(Error::NotFound(Entity::Order).code(), "order_not_found");
            /// assert_eq!(Error::Refused(Refusal::EmptyCart).code(), Refusal::EmptyCart.code());
            /// assert!(Error::CODES.contains(&"order_not_found"));
            /// ```
            pub const CODES: &'static [&'static str] = &[$($($($code,)?)+)+];
        }
    };
}
