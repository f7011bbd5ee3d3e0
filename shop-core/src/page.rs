//! Pages of a list. A `limit` above 100 is taken as 100 (docs/decisions.md, "Values").

use crate::value::{InvalidValue, inline_schema};
use serde::{Deserialize, Deserializer, Serialize};

/// A page number, counted from 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PageNumber(u32);

/// How many entries a page has: 1 to 100; more is taken as 100.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PageLimit(u32);

impl PageLimit {
    /// The largest page there is.
    pub const MAX: u32 = 100;

    pub(crate) const fn get(self) -> u32 {
        self.0
    }
}

/// Which page of a list is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PageRequest {
    /// Counted from 1.
    pub page: u32,
    /// Entries a page, 1 to 100.
    pub limit: u32,
}

impl PageRequest {
    /// The page that a caller asked for, with 20 entries where there is no limit.
    pub fn of(page: Option<PageNumber>, limit: Option<PageLimit>) -> Self {
        let first = Self::default();
        Self { page: page.map_or(first.page, |p| p.0), limit: limit.map_or(first.limit, |l| l.0) }
    }

    /// The page that a caller asked for, as large as it may be where there is no limit.
    pub(crate) fn large(page: Option<PageNumber>, limit: Option<PageLimit>) -> Self {
        Self::of(page, limit.or(Some(PageLimit(PageLimit::MAX))))
    }

    /// The page that a program asked for, with 50 entries where it did not say how many.
    pub fn of_program(page: Option<PageNumber>, limit: Option<PageLimit>) -> Self {
        Self { limit: limit.map_or(50, |l| l.0), ..Self::of(page, limit) }
    }

    /// This page of a list that is there whole.
    pub(crate) fn slice<T>(self, list: &[T]) -> &[T] {
        let start = usize::try_from(self.offset()).unwrap_or(usize::MAX).min(list.len());
        let length = usize::try_from(self.limit).unwrap_or(usize::MAX);
        &list[start..list.len().min(start.saturating_add(length))]
    }

    /// How many entries come before this page.
    pub(crate) fn offset(self) -> i64 {
        (i64::from(self.page) - 1) * i64::from(self.limit)
    }
}

impl Default for PageRequest {
    fn default() -> Self {
        Self { page: 1, limit: 20 }
    }
}

/// One page of a list.
#[apply(answer!)]
#[cfg_attr(feature = "schema", schemars(rename = "{T}Page"))]
pub struct Page<T> {
    /// The entries, in the list's order.
    pub data: Vec<T>,
    /// Where this page stands in the whole list.
    pub pagination: Pagination,
}

/// A part of a long list that a program reads, page by page or, without counting and skipping, from
/// cursor to cursor.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "{T}CursorPage"))]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct CursorPage<T> {
    /// The entries, in the list's order.
    pub data: Vec<T>,
    /// Where this page stands in the whole list; absent behind a cursor.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pagination: Option<Pagination>,
    /// What to send as `after` for the entries behind these; `null` at the end.
    pub next_cursor: Option<String>,
}

impl<T> CursorPage<T> {
    /// Of entries that were read with one more than the page has, if there is one more.
    pub(crate) fn new(
        mut data: Vec<T>,
        request: PageRequest,
        total: Option<i64>,
        cursor: impl FnOnce(&T) -> String,
    ) -> Self {
        let limit = usize::try_from(request.limit).unwrap_or(usize::MAX);
        let more = data.len() > limit;
        data.truncate(limit);
        let next_cursor = data.last().filter(|_| more).map(cursor);
        let pagination = total.map(|total| Pagination::new(request, total));
        Self { data, pagination, next_cursor }
    }

    /// The same part, of other entries.
    pub fn map<U>(self, change: impl FnMut(T) -> U) -> CursorPage<U> {
        let Self { data, pagination, next_cursor } = self;
        CursorPage { data: data.into_iter().map(change).collect(), pagination, next_cursor }
    }

    /// The same part, of other entries.
    ///
    /// # Errors
    /// The first that `change` returns.
    pub fn try_map<U, E>(self, change: impl FnMut(T) -> Result<U, E>) -> Result<CursorPage<U>, E> {
        let Self { data, pagination, next_cursor } = self;
        let data = data.into_iter().map(change).collect::<Result<_, E>>()?;
        Ok(CursorPage { data, pagination, next_cursor })
    }
}

/// Where a page stands in its list.
#[apply(answer!)]
#[derive(Copy)]
pub struct Pagination {
    /// This page, counted from 1.
    pub page: u32,
    /// Entries a page.
    pub limit: u32,
    /// Entries of the whole list.
    pub total: i64,
    /// Pages of the whole list.
    pub total_pages: i64,
}

impl Pagination {
    pub(crate) fn new(request: PageRequest, total: i64) -> Self {
        let limit = i64::from(request.limit);
        let total_pages = (total + limit - 1) / limit;
        Self { page: request.page, limit: request.limit, total, total_pages }
    }
}

impl TryFrom<u32> for PageNumber {
    type Error = InvalidValue;

    fn try_from(page: u32) -> Result<Self, Self::Error> {
        if page == 0 { Err(InvalidValue::AtLeast { least: 1 }) } else { Ok(Self(page)) }
    }
}

impl TryFrom<u32> for PageLimit {
    type Error = InvalidValue;

    fn try_from(limit: u32) -> Result<Self, Self::Error> {
        if limit == 0 {
            Err(InvalidValue::AtLeast { least: 1 })
        } else {
            Ok(Self(limit.min(Self::MAX)))
        }
    }
}

impl<'de> Deserialize<'de> for PageNumber {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        u32::deserialize(deserializer)?.try_into().map_err(serde::de::Error::custom)
    }
}

impl<'de> Deserialize<'de> for PageLimit {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        // A limit too large for a whole number is above 100 all the same.
        let limit = f64::deserialize(deserializer)?;
        if limit.fract() != 0.0 {
            return Err(serde::de::Error::custom("it must be a whole number"));
        }
        let limit = limit.clamp(0.0, f64::from(Self::MAX));
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "0 to 100")]
        Self::try_from(limit as u32).map_err(serde::de::Error::custom)
    }
}

inline_schema!(PageNumber, { "type": "integer", "minimum": 1, "maximum": u32::MAX, "default": 1 });

inline_schema!(PageLimit, {
    "type": "integer", "minimum": 1, "default": 20,
    "description": "Entries a page; above 100 is taken as 100."
});
