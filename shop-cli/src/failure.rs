//! Why a command did not do what it was asked, in English, for stderr.

use std::path::Path;
use std::process::ExitCode;
use std::{fmt, io};

use shop_core::Error;
use shop_core::error::{Conflict, Credential, with_causes};
use shop_server::portuguese::FieldTexts;

/// How a command ends. These numbers are promised to scripts (docs/cli.md).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Exit {
    /// A value, a file or a setting is not as it must be, or a check found something.
    Failed = 1,
    /// The command itself is wrong.
    Usage = 2,
    /// What was asked for is not there.
    NotFound = 3,
    /// Something else stands in the way: a unique value that is taken, a state, a later change.
    Conflict = 4,
    /// A rule of the shop says no.
    Refused = 5,
    /// The question was not answered with yes, or could not be asked.
    NotConfirmed = 6,
    /// Another party (payment provider, tax office, carrier) did not do its part.
    Unavailable = 69,
    /// A defect, or a machine or database that does not work.
    Internal = 70,
    /// Too much is going on; the same command may succeed a little later.
    Busy = 75,
}

/// What is wrong, for the user of the command.
#[derive(Debug)]
pub(crate) struct Failure {
    exit: Exit,
    text: String,
    /// What is wrong with which field.
    fields: Option<FieldTexts>,
}

/// Another party that did not answer is no success of the command.
pub(crate) fn all_answered(failed: usize) -> Result<(), Failure> {
    let text = match failed {
        0 => return Ok(()),
        1 => "1 question was not answered".to_owned(),
        several => format!("{several} questions were not answered"),
    };
    Err(Failure::of(Exit::Unavailable, text))
}

impl Failure {
    /// Something that is not as it must be.
    pub(crate) fn new(text: impl Into<String>) -> Self {
        Self::of(Exit::Failed, text)
    }

    pub(crate) fn not_found(text: impl Into<String>) -> Self {
        Self::of(Exit::NotFound, text)
    }

    pub(crate) fn not_confirmed(text: impl Into<String>) -> Self {
        Self::of(Exit::NotConfirmed, text)
    }

    /// A file that cannot be read or written.
    pub(crate) fn file(file: &Path, error: &io::Error) -> Self {
        Self::new(format!("{}: {error}", file.display()))
    }

    /// The same, of a file.
    pub(crate) fn about(self, file: &Path) -> Self {
        Self { text: format!("{}: {}", file.display(), self.text), ..self }
    }

    pub(crate) fn of(exit: Exit, text: impl Into<String>) -> Self {
        Self { exit, text: text.into(), fields: None }
    }

    pub(crate) fn exit(&self) -> Exit {
        self.exit
    }

    /// For scripts, in the words of the HTTP interface.
    pub(crate) fn to_json(&self) -> serde_json::Value {
        let mut json = serde_json::json!({
            "error": self.text, "code": self.exit.code(), "exitCode": self.exit as u8
        });
        if let Some(fields) = &self.fields {
            json["details"] = serde_json::json!(fields);
        }
        json
    }
}

impl Exit {
    /// What programs call it.
    fn code(self) -> &'static str {
        match self {
            Self::Failed => "failed",
            Self::Usage => "usage",
            Self::NotFound => "not_found",
            Self::Conflict => "conflict",
            Self::Refused => "refused",
            Self::NotConfirmed => "not_confirmed",
            Self::Unavailable => "unavailable",
            Self::Internal => "internal",
            Self::Busy => "busy",
        }
    }

    fn of(error: &Error) -> Self {
        match error {
            Error::Invalid(_) | Error::Unusable { .. } => Self::Failed,
            Error::NotFound(_) => Self::NotFound,
            Error::Conflict(_) => Self::Conflict,
            Error::Refused(_) | Error::Unauthenticated(_) | Error::Forbidden | Error::Suspended => {
                Self::Refused
            }
            Error::Provider { .. } => Self::Unavailable,
            Error::Busy { .. } | Error::TooManyAttempts { .. } => Self::Busy,
            _ => Self::Internal,
        }
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit as u8)
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        Self::new(error.to_string())
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        let fields = match &error {
            Error::Invalid(fields) => Some(FieldTexts::from(fields)),
            _ => None,
        };
        let text = fields.as_ref().map(|fields| format!("invalid input: {fields}"));
        Self { exit: Exit::of(&error), text: text.unwrap_or_else(|| text_of(&error)), fields }
    }
}

pub(crate) fn text_of(error: &Error) -> String {
    match error {
        Error::Conflict(conflict) => text_of_conflict(conflict),
        Error::NotFound(what) => {
            // `api_key_not_found`
            let name = what.code().trim_end_matches("_not_found").replace('_', " ");
            format!("there is no such {name}")
        }
        Error::Unauthenticated(Credential::CurrentPassword) => {
            "currentPassword: it is wrong".to_owned()
        }
        // The operator may see every cause.
        Error::Internal(source)
        | Error::Provider { source, .. }
        | Error::StorageUnavailable { source, .. } => {
            format!("{error}: {}", with_causes(&**source))
        }
        _ => error.to_string(),
    }
}

fn text_of_conflict(conflict: &Conflict) -> String {
    let text = match conflict {
        Conflict::Email => "email: another account has it",
        Conflict::Slug => "slug: it is already in use",
        Conflict::Sku => "sku: it is already in use",
        Conflict::VariantOptions => "values: another variant of the product has them",
        Conflict::VariantOption => "value: the kind has it",
        Conflict::InUse { names } => return format!("it is in use: {}", names.join(", ")),
        Conflict::Subscription => "email: it has the newsletter already",
        Conflict::AdminAccount => "an admin's account stays",
        Conflict::OpenOrders => "an order is unpaid or under way",
        Conflict::CouponCode => "code: another coupon has it",
        Conflict::WishlistItem => "productId: it is on the wishlist already",
        Conflict::PaymentInProcess => {
            "it is not known yet what became of another payment of the order"
        }
        Conflict::Review => "productId: the customer has a review of it already",
        Conflict::TotalChanged => "the order would have another total than the expected one",
        Conflict::UnitsReturned => "the units are part of another return",
        Conflict::ReturnState => "the state of the return does not allow it",
        Conflict::WithdrawalStands => "a withdrawal in its term is a right and cannot be rejected",
        Conflict::ReturnInvoiced => {
            "an invoice says that goods of the return came back: cancel it first"
        }
        Conflict::ShipmentExists => {
            "the parcels have labels already; cancel a label to buy another one"
        }
        Conflict::ShipmentState => {
            "the state of the shipment does not allow it, or is not known yet"
        }
        Conflict::LabelNotReady => "the label is not made yet, or was given up",
        Conflict::GoodsLeft => "the goods have left already",
        Conflict::InvoiceAuthorized => "the invoice is authorised: cancel it instead",
        Conflict::InvoiceCancelled => "the invoice was cancelled: its number is used for good",
        Conflict::AddressFixed => "address: an invoice says it, or the order was delivered",
        Conflict::CorrectionTooLate => "the invoice was authorised more than 720 hours ago",
        Conflict::CorrectionsUsedUp => "the invoice has 20 letters of correction",
        Conflict::InvoiceReturned => {
            "goods of the sale came back by an invoice: cancel that one first"
        }
        Conflict::ImportUnderWay => {
            "an import of products is being written; the catalogue can be changed afterwards. One that \
             was broken off is finished by a running server, and by the next `import products`"
        }
        Conflict::Changed => "it was changed meanwhile",
        Conflict::InactiveWebhook => "the webhook is switched off; switch it on first",
        Conflict::LastAdmin => "it is the only active admin",
        Conflict::TwoFactorEnabled => "the account has two-factor log-ins already",
        Conflict::TwoFactorNotEnabled => "the account has no two-factor log-ins",
        Conflict::TwoFactorNotBegun => "no enrolment was begun",
        Conflict::OwnAccount => "an admin cannot suspend the own account",
        other => return format!("conflict: {other:?}"),
    };
    text.to_owned()
}
