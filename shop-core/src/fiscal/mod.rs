//! Values of tax law: what products are classified by, and the company and its city. The settings
//! and the products know them, so they stand below invoices.

mod buyer;
#[cfg(feature = "nfe")]
mod city;
mod code;
#[cfg(feature = "nfe")]
mod company;
mod csosn;
#[cfg(feature = "nfe")]
pub(crate) mod demand;
mod invoice;

pub use self::buyer::{Buyer, BuyingCompany};
#[cfg(feature = "nfe")]
pub use self::city::{City, state_code};
pub use self::code::{Digits, Gtin, Origin, Production, Unit};
#[cfg(feature = "nfe")]
pub use self::company::{Company, FiscalAddress};
pub use self::csosn::{Csosn, TaxRegime};
pub use self::invoice::{InvoiceStatus, TaxEnvironment};
