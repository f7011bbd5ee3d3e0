//! Brazilian electronic invoices (NF-e, model 55, layout 4.00) of sales to consumers, by companies
//! under Simples Nacional.
//!
//! The parts can be used without a shop: an [`Invoice`] says what is sold, [`Invoice::sign`] writes
//! it as XML and signs it with a [`Certificate`], an [`NfeIssuer`] has it authorised, and
//! [`nfe_proc`] puts both together. `examples/nfe.rs` does so.
//!
//! [`Invoices`] is the shop's own desk: numbers, documents and answers in the shop's database, so
//! that an order has one invoice whatever crashes or does not answer.

mod apportion;
mod certificate;
mod city;
pub mod danfe;
mod desk;
mod document;
mod event;
mod invoice;
mod issuer;
mod key;
mod office;
mod protocol;
mod sandbox;
#[cfg(feature = "http")]
pub mod sefaz;
mod signature;
mod taxes;
mod text;
mod xml;

pub use self::apportion::apportion;
pub use self::certificate::{Certificate, CertificateError};
pub use self::city::{City, state_code};
pub use self::desk::{
    AuthorizedXml, EmitInvoice, ExportedInvoice, InvoiceFilter, InvoiceStatus, Invoices,
    IssuedInvoice, Month, ProductFiscal, ProductFiscalPatch, WithdrawInvoice,
};
pub(crate) use self::desk::{Invoicing, of_account};
pub use self::document::SignedInvoice;
pub use self::event::{Cancellation, UnusedNumbers, nfe_proc};
pub use self::invoice::{
    Company, Csosn, Digits, Fiscal, Gtin, IbsCbs, Invoice, Line, Origin, PaymentMeans, Place,
    Recipient, TaxEnvironment, TaxRegime, Unit,
};
pub use self::issuer::{IssuerError, NfeIssuer, Outcome, Registered};
pub use self::key::{AccessKey, Cnpj, KeyParts, is_random_code};
pub(crate) use self::office::Office;
