//! What the library says no with, as entries of the catalogue: by its code, with what stands in the
//! braces of its text.

use std::borrow::Cow;
use std::time::Duration;

use shop_core::Error;
use shop_core::error::{Conflict, Refusal};

use super::catalogue::Code;
use super::{Reply, rate_limited, retry_after, wait_text};
use crate::portuguese::FieldTexts;
use crate::rate_limit::TooMany;

/// When to ask again while an import is being written: it takes seconds, seldom a minute.
const IMPORT_WAIT: Duration = Duration::from_secs(10);

impl Code {
    /// The entry of an error of the library.
    pub(crate) fn of(error: &Error) -> Self {
        Self::named(error.code()).unwrap_or(Self::InternalError)
    }

    /// The first entry of a code.
    pub(super) fn named(code: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|known| known.as_str() == code)
    }
}

pub(super) fn shop(error: Error) -> Reply {
    let code = Code::of(&error);
    match error {
        Error::Invalid(fields) => Reply::of(code).details((&fields).into()),
        Error::Conflict(Conflict::InUse { names }) => Reply::of(code).details(users(names)),
        Error::Conflict(Conflict::ImportUnderWay) => retry_after(Reply::of(code), IMPORT_WAIT),
        Error::Refused(refusal) => refused(code, refusal),
        Error::TooManyAttempts { max, retry_after } => rate_limited(TooMany { max, retry_after }),
        Error::Busy { retry_after: wait } | Error::StorageUnavailable { retry_after: wait, .. } => {
            retry_after(Reply::of(code), wait)
        }
        _ => Reply::of(code),
    }
}

/// The names of the things that need what cannot be deleted.
fn users(names: Vec<String>) -> FieldTexts {
    let form_errors = names.into_iter().map(Cow::from).collect();
    FieldTexts { form_errors, ..FieldTexts::default() }
}

fn refused(reply: Code, refusal: Refusal) -> Reply {
    match refusal {
        Refusal::InsufficientStock { name, available } => {
            Reply::filled(reply, [("{name}", name), ("{available}", available.to_string())])
        }
        Refusal::InactiveProduct { name } | Refusal::VariantRequired { name } => {
            Reply::filled(reply, [("{name}", name)])
        }
        Refusal::TooManyUnits { max } | Refusal::TooManyUnpaidOrders { max } => {
            Reply::filled(reply, [("{max}", max.to_string())])
        }
        Refusal::TooManyOrders { retry_after: wait } => {
            retry_after(Reply::filled(reply, [wait_text(wait)]), wait)
        }
        Refusal::NfeRejected { code, text } | Refusal::NfeDenied { code, text } => {
            Reply::filled(reply, [("{code}", code.to_string()), ("{text}", text)])
        }
        Refusal::ReturnTooLate { last_day } => {
            Reply::filled(reply, [("{date}", last_day.format("%d/%m/%Y").to_string())])
        }
        Refusal::RefundTooLarge { left } => Reply::filled(reply, [("{left}", left.in_reais())]),
        Refusal::LabelUnreadable { order_number, parcel } => {
            Reply::filled(reply, [("{parcel}", parcel.to_string()), ("{order}", order_number)])
        }
        _ => Reply::of(reply),
    }
}
