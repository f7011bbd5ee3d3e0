//! Values of tax law: what products are classified by, and the company and its city. The settings
//! and the products know them, so they stand below invoices.

mod city;
mod code;
mod company;
mod csosn;
pub(crate) mod demand;

pub use self::city::{City, state_code};
pub use self::code::{Digits, Gtin, Origin, Production, Unit};
pub use self::company::{Company, FiscalAddress, TaxEnvironment};
pub use self::csosn::{Csosn, TaxRegime};
