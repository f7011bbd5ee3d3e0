//! Arguments that several commands take.

use clap::Args;
use shop_core::money::Money;
use shop_core::order::OrderStatus;
use shop_core::page::{PageLimit, PageNumber, Pagination};
use shop_core::value::{Since, Until};

use crate::output::{self, Format};

/// Which part of a long list to show.
#[derive(Debug, Clone, Copy, Args)]
pub(crate) struct Paging {
    /// Which page, from 1
    #[arg(long, value_name = "N", value_parser = parse_page)]
    pub(crate) page: Option<PageNumber>,
    /// Entries a page: 20 where it is left out, at most 100
    #[arg(long, value_name = "N", value_parser = parse_limit)]
    pub(crate) limit: Option<PageLimit>,
}

/// Says that there is more than is shown, where the result does not.
pub(crate) fn tell_rest(pagination: Pagination, format: Format) {
    let Pagination { page, total, total_pages, .. } = pagination;
    if total_pages > 1 && format != Format::Json {
        output::note(&format!("page {page} of {total_pages}, {total} in all"));
    }
}

fn parse_page(text: &str) -> Result<PageNumber, String> {
    let page: u32 = text.parse().map_err(|_| "it must be a whole number from 1".to_owned())?;
    page.try_into().map_err(|_| "it must be a whole number from 1".to_owned())
}

fn parse_limit(text: &str) -> Result<PageLimit, String> {
    let limit: u32 = text.parse().map_err(|_| "it must be a whole number from 1".to_owned())?;
    limit.try_into().map_err(|_| "it must be a whole number from 1".to_owned())
}

pub(crate) fn parse_status(text: &str) -> Result<OrderStatus, &'static str> {
    let known = OrderStatus::ALL.into_iter().find(|status| status.as_str() == text);
    known.ok_or("it is PENDING, PROCESSING, SHIPPED, DELIVERED, CANCELLED or REFUNDED")
}

const NO_DATE: &str = "it must be a date as 2026-11-21, or a time as 2026-11-21T10:00:00-03:00";

pub(crate) fn parse_since(text: &str) -> Result<Since, &'static str> {
    text.parse().map_err(|_| NO_DATE)
}

pub(crate) fn parse_until(text: &str) -> Result<Until, &'static str> {
    text.parse().map_err(|_| NO_DATE)
}

pub(crate) fn parse_money(text: &str) -> Result<Money, &'static str> {
    text.parse().map_err(|_| "it must be an amount as 12.90")
}
