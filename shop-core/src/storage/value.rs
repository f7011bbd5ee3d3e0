//! What goes into a statement and what comes out of a row.

use serde_json::value::RawValue;

use crate::clock::Timestamp;
use crate::error::{Error, Result};
use crate::money::Money;
use crate::value::{Length, Price, Weight};

/// A value bound to a statement.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Param<'a> {
    /// SQL `NULL`.
    Null,
    /// A whole number, also for cents, milliseconds and booleans.
    Int(i64),
    /// A text, also for ids and JSON.
    Text(&'a str),
}

/// As [`Param`], for a statement that runs later; the two sort alike.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Value {
    Null,
    Int(i64),
    Text(String),
}

impl Value {
    pub(super) fn of(param: &Param<'_>) -> Self {
        match *param {
            Param::Null => Self::Null,
            Param::Int(number) => Self::Int(number),
            Param::Text(text) => Self::Text(text.to_owned()),
        }
    }

    pub(super) fn param(&self) -> Param<'_> {
        match self {
            Self::Null => Param::Null,
            Self::Int(number) => Param::Int(*number),
            Self::Text(text) => Param::Text(text),
        }
    }
}

/// The values of a statement's parameters, in their order: values, or fields of a struct behind its
/// name, with semicolons between (`params![account; address: street, number; at.now()]`).
macro_rules! params {
    (@ [$($done:expr),*]) => { &[$($done),*] };
    (@ [$($done:expr),*] $of:ident: $($field:ident),+ $(,)? $(; $($rest:tt)*)?) => {
        params!(@ [$($done,)* $($crate::storage::Param::from(&$of.$field)),+] $($($rest)*)?)
    };
    (@ [$($done:expr),*] $($value:expr),+ $(,)? $(; $($rest:tt)*)?) => {
        params!(@ [$($done,)* $($crate::storage::Param::from($value)),+] $($($rest)*)?)
    };
    ($($values:tt)+) => { params!(@ [] $($values)+) };
}

pub(crate) use params;

/// A row of an answer; columns are counted from 0.
pub trait Row {
    /// A whole number, or `None` for `NULL`.
    ///
    /// # Errors
    /// [`Error::Internal`] when the column is something else.
    fn int(&self, column: usize) -> Result<Option<i64>>;

    /// A text, borrowed from the row, or `None` for `NULL`.
    ///
    /// # Errors
    /// [`Error::Internal`] when the column is something else.
    fn text(&self, column: usize) -> Result<Option<&str>>;

    /// Whether the column is `NULL`.
    ///
    /// # Errors
    /// [`Error::Internal`] when there is no such column.
    fn is_null(&self, column: usize) -> Result<bool>;
}

impl dyn Row + '_ {
    /// A column as the type that the caller wants.
    ///
    /// # Errors
    /// [`Error::Internal`] when the column cannot be that.
    pub fn get<T: FromColumn>(&self, column: usize) -> Result<T> {
        T::from_column(self, column)
    }
}

/// A type that can be read from a column, or from several side by side.
pub trait FromColumn: Sized {
    /// Reads the column, or those from it on.
    ///
    /// # Errors
    /// [`Error::Internal`] when the column cannot be that.
    fn from_column(row: &dyn Row, column: usize) -> Result<Self>;
}

/// Lets a struct be read from columns in the order in which its fields are named, from the column
/// on that is asked for. A field that takes several columns stands last; what is no column follows
/// behind a semicolon.
macro_rules! read_columns {
    ($name:ident: $($($field:ident)? $([$own:ident])?),+ $(; $($rest:tt)+)?) => {
        impl $crate::storage::FromColumn for $name {
            fn from_column(
                row: &dyn $crate::storage::Row,
                column: usize,
            ) -> $crate::error::Result<Self> {
                let mut columns = column..;
                let mut next = || columns.next().unwrap_or(usize::MAX);
                $($(let $field = row.get(next())?;)? $(let $own = row.get(next())?;)?)+
                Ok(Self { $($($field,)?)+ $($($rest)+)? })
            }
        }
    };
}
pub(crate) use read_columns;

fn null(column: usize) -> Error {
    Error::internal(format!("column {column} is NULL"))
}

impl FromColumn for i64 {
    fn from_column(row: &dyn Row, column: usize) -> Result<Self> {
        row.int(column)?.ok_or_else(|| null(column))
    }
}

impl FromColumn for String {
    fn from_column(row: &dyn Row, column: usize) -> Result<Self> {
        row.text(column)?.map(str::to_owned).ok_or_else(|| null(column))
    }
}

/// JSON as it is kept.
impl FromColumn for Box<RawValue> {
    fn from_column(row: &dyn Row, column: usize) -> Result<Self> {
        RawValue::from_string(row.get(column)?).map_err(Error::from_source)
    }
}

impl FromColumn for bool {
    fn from_column(row: &dyn Row, column: usize) -> Result<Self> {
        Ok(row.get::<i64>(column)? != 0)
    }
}

impl<T: FromColumn> FromColumn for Option<T> {
    fn from_column(row: &dyn Row, column: usize) -> Result<Self> {
        if row.is_null(column)? { Ok(None) } else { T::from_column(row, column).map(Some) }
    }
}

/// Lets as many columns as a tuple has be read side by side.
macro_rules! tuple_columns {
    ($(($($name:ident: $place:tt),+);)+) => {$(
        impl<$($name: FromColumn),+> FromColumn for ($($name,)+) {
            fn from_column(row: &dyn Row, column: usize) -> Result<Self> {
                Ok(($(row.get::<$name>(column + $place)?,)+))
            }
        }
    )+};
}

tuple_columns! {
    (A: 0, B: 1);
    (A: 0, B: 1, C: 2);
    (A: 0, B: 1, C: 2, D: 3);
}

/// Lets values that become whole numbers stand in statements, also borrowed.
macro_rules! int_params {
    ($($name:ty: |$value:ident| $int:expr;)+) => {$(
        impl From<$name> for Param<'_> {
            fn from($value: $name) -> Self {
                Self::Int($int)
            }
        }

        impl From<&$name> for Param<'_> {
            fn from(value: &$name) -> Self {
                (*value).into()
            }
        }

        impl From<&Option<$name>> for Param<'_> {
            fn from(value: &Option<$name>) -> Self {
                (*value).into()
            }
        }
    )+};
}

int_params! {
    i64: |value| value;
    u16: |value| value.into();
    u32: |value| value.into();
    bool: |value| value.into();
    Price: |value| value.get().cents();
    Money: |value| value.cents();
    Weight: |value| value.grams();
    Length: |value| value.millimetres();
    Timestamp: |value| value.millis();
}

impl<'a> From<&'a str> for Param<'a> {
    fn from(value: &'a str) -> Self {
        Self::Text(value)
    }
}

impl<'a> From<&'a String> for Param<'a> {
    fn from(value: &'a String) -> Self {
        Self::Text(value)
    }
}

impl<'a, T: Into<Param<'a>>> From<Option<T>> for Param<'a> {
    fn from(value: Option<T>) -> Self {
        value.map_or(Self::Null, Into::into)
    }
}

impl<'a> From<&'a Option<String>> for Param<'a> {
    fn from(value: &'a Option<String>) -> Self {
        value.as_deref().into()
    }
}

/// Lets values that are whole numbers be read back.
macro_rules! int_columns {
    ($($name:ty: $from:ident;)+) => {$(
        impl FromColumn for $name {
            fn from_column(row: &dyn Row, column: usize) -> Result<Self> {
                Ok(Self::$from(row.get(column)?))
            }
        }
    )+};
}

int_columns! {
    Money: from_cents;
    Weight: from_grams;
    Length: from_millimetres;
    Timestamp: from_millis;
}

/// Lets text values stand in statements and be read back as they were written.
macro_rules! text_columns {
    ($($name:ty),+ $(,)?) => {$(
        impl<'a> From<&'a $name> for Param<'a> {
            fn from(value: &'a $name) -> Self {
                Self::Text(value.as_str())
            }
        }

        impl<'a> From<&'a Option<$name>> for Param<'a> {
            fn from(value: &'a Option<$name>) -> Self {
                value.as_ref().into()
            }
        }

        impl FromColumn for $name {
            fn from_column(row: &dyn Row, column: usize) -> Result<Self> {
                let text = row.text(column)?.ok_or_else(|| null(column))?;
                text.parse().map_err(Error::from_source)
            }
        }
    )+};
}

text_columns!(
    crate::value::Cep,
    crate::value::Cnpj,
    crate::value::Cpf,
    crate::value::Email,
    crate::value::PictureUrl,
    crate::value::Slug,
    crate::value::StateRegistration,
    crate::value::Uf,
);

impl<'a, const MIN: usize, const MAX: usize> From<&'a crate::value::Text<MIN, MAX>> for Param<'a> {
    fn from(value: &'a crate::value::Text<MIN, MAX>) -> Self {
        Self::Text(value.as_str())
    }
}
