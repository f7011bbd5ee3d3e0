//! Brazilian electronic invoices (NF-e, model 55, layout 4.00) of sales by companies under Simples
//! Nacional to consumers and to companies.
//!
//! The parts can be used without a shop: an [`Invoice`] says what is sold, [`Invoice::sign`] writes
//! it as XML and signs it with a [`Certificate`], an [`NfeIssuer`] has it authorised, and
//! [`nfe_proc`] puts both together. `examples/nfe.rs` does so.
//!
//! The invoices of the shop's own orders are in [`crate::invoicing`].

mod check;
pub(crate) mod correction;
pub mod danfe;
pub(crate) mod document;
pub(crate) mod event;
pub(crate) mod in_time;
mod invoice;
pub(crate) mod issuer;
mod key;
pub(crate) mod protocol;
mod responsible;
mod return_invoice;
pub mod rules;
mod sale;
pub(crate) mod sandbox;
#[cfg(feature = "http")]
pub mod sefaz;
mod signature;
mod taxes;
pub(crate) mod text;
mod xml;

pub use self::correction::CorrectionLetter;
pub use self::document::SignedInvoice;
pub use self::event::{Cancellation, UnusedNumbers, nfe_proc};
pub use self::invoice::{Fiscal, IbsCbs, Invoice, Line, PaymentMeans, Recipient, RecipientId};
pub use self::issuer::{IssuerError, KnownCorrection, NfeIssuer, Outcome, Registered};
pub use self::key::{AccessKey, KeyParts, is_random_code};
pub use self::responsible::{Csrt, Responsible};
pub use self::return_invoice::{ReturnGround, ReturnInvoice, ReturnedLine};
pub use self::sale::{IssuedSale, SoldLine};
pub(crate) use self::xml::first as first_text;
pub use crate::config::certificate::{Certificate, CertificateError};
pub use crate::fiscal::{
    City, Company, Csosn, Digits, FiscalAddress, Gtin, Origin, TaxEnvironment, TaxRegime, Unit,
    state_code,
};
pub use crate::value::{Cnpj, StateRegistration};
