//! What structs of a kind have in common: those that go over a wire, by what they are for, and the
//! handles of the shop.

/// What the shop answers with: JSON in camelCase with its schema, and room for more fields.
macro_rules! answer {
    ($($item:tt)*) => {
        inexact_answer! { #[derive(PartialEq, Eq)] $($item)* }
    };
}

/// An [`answer`] with fractions or JSON in it, which are not told equal.
macro_rules! inexact_answer {
    ($($item:tt)*) => {
        #[derive(Debug, Clone, serde::Serialize)]
        #[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
        #[serde(rename_all = "camelCase")]
        #[non_exhaustive]
        $($item)*
    };
}

/// What the shop takes: JSON in camelCase with its schema.
macro_rules! input {
    ($($item:tt)*) => {
        #[derive(Debug, Clone, serde::Deserialize)]
        #[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
        #[serde(rename_all = "camelCase")]
        $($item)*
    };
}

/// What a list is asked for: an [`input`] of which everything may be left out.
macro_rules! filter {
    ($($item:tt)*) => {
        input! { #[derive(Default)] #[serde(default)] $($item)* }
    };
}

/// What changes of something: an [`input`] of which everything may be left out. A field of type
/// `Option<T>` takes no null; one of type `Option<Option<T>>` is cleared by it. A field with
/// `#[own_form]` says itself how it is read.
macro_rules! patch {
    ($(#[$meta:meta])* $vis:vis struct $name:ident { $($fields:tt)* }) => {
        patch! { @next [$(#[$meta])* $vis struct $name] [] $($fields)* }
    };
    (@next [$($head:tt)*] [$($done:tt)*]) => {
        input! { #[derive(Default)] $($head)* { $($done)* } }
    };
    (@next [$($head:tt)*] [$($done:tt)*]
        #[own_form] $(#[$meta:meta])* pub $field:ident: $type:ty, $($rest:tt)*
    ) => {
        patch! { @next [$($head)*] [$($done)* $(#[$meta])* pub $field: $type,] $($rest)* }
    };
    // The two brackets are one token behind a type without brackets of its own.
    (@next [$($head:tt)*] [$($done:tt)*]
        $(#[$meta:meta])* pub $field:ident: Option<Option<$type:ty>>, $($rest:tt)*
    ) => {
        patch! { @clearable [$($head)*] [$($done)*] [$(#[$meta])*] $field $type, $($rest)* }
    };
    (@next [$($head:tt)*] [$($done:tt)*]
        $(#[$meta:meta])* pub $field:ident: Option<Option<$type:ty> >, $($rest:tt)*
    ) => {
        patch! { @clearable [$($head)*] [$($done)*] [$(#[$meta])*] $field $type, $($rest)* }
    };
    (@clearable [$($head:tt)*] [$($done:tt)*] [$($meta:tt)*]
        $field:ident $type:ty, $($rest:tt)*
    ) => {
        patch! { @next [$($head)*] [$($done)*
            $($meta)*
            #[serde(
                default,
                deserialize_with = "crate::value::nullable",
                skip_serializing_if = "Option::is_none"
            )]
            pub $field: Option<Option<$type>>,
        ] $($rest)* }
    };
    (@next [$($head:tt)*] [$($done:tt)*]
        $(#[$meta:meta])* pub $field:ident: Option<$type:ty>, $($rest:tt)*
    ) => {
        patch! { @next [$($head)*] [$($done)*
            $(#[$meta])*
            #[serde(
                default,
                deserialize_with = "crate::value::not_null",
                skip_serializing_if = "Option::is_none"
            )]
            #[cfg_attr(feature = "schema", schemars(transform = crate::value::without_null))]
            pub $field: Option<$type>,
        ] $($rest)* }
    };
}

/// What the shop hands out for a topic: light, and made of the context alone.
macro_rules! handle {
    ($(#[$meta:meta])* pub struct $name:ident<$a:lifetime> { $vis:vis cx: &$b:lifetime Context, }) => {
        $(#[$meta])*
        #[derive(Debug, Clone, Copy)]
        pub struct $name<$a> {
            $vis cx: &$a Context,
        }

        impl<$a> $name<$a> {
            pub(crate) fn new(cx: &$a Context) -> Self {
                Self { cx }
            }
        }
    };
}

/// Names the state of things, each by what its revision covers.
macro_rules! revised {
    ($($(#[$meta:meta])* $name:ident |$it:ident| $state:expr;)+) => {$(
        impl $name {
            $(#[$meta])*
            ///
            /// # Errors
            /// [`Error::Internal`](crate::Error::Internal) when it cannot be written as JSON.
            pub fn revision(&self) -> crate::error::Result<crate::revision::Revision> {
                let $it = self;
                crate::revision::Revision::of($state)
            }
        }
    )+};
}

/// A value of any text, from the caller: what could never be right is simply wrong.
macro_rules! any_text {
    ($($name:ident;)+) => {$(
        impl From<&str> for $name {
            fn from(text: &str) -> Self {
                Self(text.to_owned())
            }
        }

        impl std::str::FromStr for $name {
            type Err = std::convert::Infallible;

            fn from_str(text: &str) -> Result<Self, Self::Err> {
                Ok(Self::from(text))
            }
        }
    )+};
}

/// Shows of a type its name alone, and the fields that are named: of secrets, and of what has
/// shared state in it.
macro_rules! opaque {
    ($($name:ident $(<$lifetime:lifetime>)? $({ $($field:ident),+ })?;)+) => {$(
        impl $(<$lifetime>)? std::fmt::Debug for $name $(<$lifetime>)? {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.debug_struct(stringify!($name))
                    $($(.field(stringify!($field), &self.$field))+)?
                    .finish_non_exhaustive()
            }
        }
    )+};
}
