//! Every template of a mail that the shop sends. One that is missing here is never read back from
//! the outbox.

use crate::account::{AccountMail, TwoFactorMail};
use crate::fulfilment::ShipmentMail;
#[cfg(feature = "nfe")]
use crate::invoicing::InvoiceMail;
use crate::mail::{ContactMail, DigestMail, ReadTemplate, read_template};
use crate::newsletter::NewsletterMail;
use crate::order::OrderMail;
use crate::order_return::ReturnMail;
use crate::webhook::WebhookMail;

pub(super) const MAIL_TEMPLATES: &[ReadTemplate] = &[
    read_template::<OrderMail>,
    read_template::<ReturnMail>,
    read_template::<ShipmentMail>,
    read_template::<AccountMail>,
    read_template::<TwoFactorMail>,
    read_template::<DigestMail>,
    read_template::<NewsletterMail>,
    read_template::<WebhookMail>,
    read_template::<ContactMail>,
    #[cfg(feature = "nfe")]
    read_template::<InvoiceMail>,
];
