//! Values on their way to PostgreSQL and back.

use bytes::BytesMut;
use tokio_postgres::types::{FromSql, IsNull, ToSql, Type, to_sql_checked};

use crate::error::{Error, Result};
use crate::storage::{Param, Row};

/// A row of an answer.
pub(super) struct PostgresRow<'r>(pub(super) &'r tokio_postgres::Row);

impl Row for PostgresRow<'_> {
    fn int(&self, column: usize) -> Result<Option<i64>> {
        let whole: Option<Whole> = self.0.try_get(column).map_err(Error::from_source)?;
        Ok(whole.map(|Whole(number)| number))
    }

    fn text(&self, column: usize) -> Result<Option<&str>> {
        self.0.try_get(column).map_err(Error::from_source)
    }

    fn is_null(&self, column: usize) -> Result<bool> {
        let anything: Option<Anything> = self.0.try_get(column).map_err(Error::from_source)?;
        Ok(anything.is_none())
    }
}

type Failure = Box<dyn std::error::Error + Sync + Send>;

/// A whole number however PostgreSQL counts: a `sum` of `BIGINT` is a `NUMERIC`, a comparison a
/// `BOOL`.
struct Whole(i64);

impl<'a> FromSql<'a> for Whole {
    fn from_sql(ty: &Type, raw: &'a [u8]) -> Result<Self, Failure> {
        let number = match *ty {
            Type::INT8 => i64::from_sql(ty, raw)?,
            Type::INT4 => i32::from_sql(ty, raw)?.into(),
            Type::INT2 => i16::from_sql(ty, raw)?.into(),
            Type::BOOL => bool::from_sql(ty, raw)?.into(),
            _ => rust_decimal::Decimal::from_sql(ty, raw)?.try_into()?,
        };
        Ok(Self(number))
    }

    fn accepts(ty: &Type) -> bool {
        [Type::INT8, Type::INT4, Type::INT2, Type::BOOL, Type::NUMERIC].contains(ty)
    }
}

/// Whatever is not `NULL`.
struct Anything;

impl<'a> FromSql<'a> for Anything {
    fn from_sql(_: &Type, _: &'a [u8]) -> Result<Self, Failure> {
        Ok(Self)
    }

    fn accepts(_: &Type) -> bool {
        true
    }
}

impl ToSql for Param<'_> {
    fn to_sql(&self, ty: &Type, out: &mut BytesMut) -> Result<IsNull, Failure> {
        match *self {
            Param::Null => Ok(IsNull::Yes),
            // PostgreSQL has no NUL in texts; what the shop keeps never has one either.
            Param::Text(text) if text.contains('\0') => {
                text.replace('\0', "\u{fffd}").to_sql(ty, out)
            }
            Param::Text(text) => text.to_sql(ty, out),
            Param::Int(number) => match *ty {
                Type::INT8 => number.to_sql(ty, out),
                Type::INT4 => i32::try_from(number)?.to_sql(ty, out),
                Type::INT2 => i16::try_from(number)?.to_sql(ty, out),
                Type::BOOL => (number != 0).to_sql(ty, out),
                Type::NUMERIC => rust_decimal::Decimal::from(number).to_sql(ty, out),
                _ => Err(format!("a number where PostgreSQL takes {ty}").into()),
            },
        }
    }

    fn accepts(_: &Type) -> bool {
        true
    }

    to_sql_checked!();
}
