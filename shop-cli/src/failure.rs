//! Why a command did not do what it was asked, in English, for stderr.

use std::error::Error as _;
use std::fmt;

use shop_core::Error;
use shop_core::error::{Conflict, Credential, Source};

/// A text for whoever runs the command.
#[derive(Debug)]
pub(crate) struct Failure(String);

impl Failure {
    pub(crate) fn new(text: impl Into<String>) -> Self {
        Self(text.into())
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl From<std::io::Error> for Failure {
    fn from(error: std::io::Error) -> Self {
        Self(error.to_string())
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Self(match &error {
            Error::Conflict(Conflict::Email) => "email: another account has it".to_owned(),
            Error::Conflict(Conflict::Slug) => "slug: it is already in use".to_owned(),
            Error::Conflict(Conflict::Sku) => "sku: it is already in use".to_owned(),
            Error::Conflict(Conflict::VariantOptions) => {
                "values: another variant of the product has them".to_owned()
            }
            Error::Conflict(Conflict::VariantOption) => "value: the kind has it".to_owned(),
            Error::Conflict(Conflict::InUse { names }) => {
                format!("it is in use: {}", names.join(", "))
            }
            Error::Conflict(Conflict::Subscription) => {
                "email: it has the newsletter already".to_owned()
            }
            Error::Conflict(Conflict::AdminAccount) => "an admin's account stays".to_owned(),
            Error::Conflict(Conflict::OpenOrders) => "an order is unpaid or under way".to_owned(),
            Error::Conflict(Conflict::CouponCode) => "code: another coupon has it".to_owned(),
            Error::Conflict(Conflict::WishlistItem) => {
                "productId: it is on the wishlist already".to_owned()
            }
            Error::Conflict(Conflict::PaymentInProcess) => {
                "it is not known yet what became of another payment of the order".to_owned()
            }
            Error::Conflict(Conflict::Review) => {
                "productId: the customer has a review of it already".to_owned()
            }
            Error::Conflict(Conflict::GoodsLeft) => "the goods have left already".to_owned(),
            Error::Conflict(Conflict::InvoiceAuthorized) => {
                "the invoice is authorised: cancel it instead".to_owned()
            }
            Error::Conflict(Conflict::Changed) => "somebody else changed it meanwhile".to_owned(),
            Error::Conflict(Conflict::InactiveWebhook) => {
                "the webhook is switched off; switch it on first".to_owned()
            }
            Error::Conflict(Conflict::OwnAccount) => "nobody suspends himself".to_owned(),
            Error::NotFound(what) => {
                format!("there is no such {}", format!("{what:?}").to_lowercase())
            }
            Error::Unauthenticated(Credential::CurrentPassword) => {
                "currentPassword: it is wrong".to_owned()
            }
            Error::Internal(source) | Error::Provider { source, .. } => with_causes(&error, source),
            Error::Invalid(_)
            | Error::Refused(_)
            | Error::Unauthenticated(_)
            | Error::Forbidden
            | Error::Suspended
            | Error::Busy { .. } => error.to_string(),
        })
    }
}

/// Whoever has the machine may see what is wrong with it.
fn with_causes(error: &Error, source: &Source) -> String {
    let mut text = format!("{error}: {source}");
    let mut next = source.source();
    while let Some(cause) = next {
        text = format!("{text}: {cause}");
        next = cause.source();
    }
    text
}
