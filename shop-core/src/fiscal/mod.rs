//! Values of tax law: what products are classified by, and the company and its city. The settings
//! and the products know them, so they stand below invoices.

mod city;
mod code;
mod company;

pub use self::city::{City, state_code};
pub use self::code::{Csosn, Digits, Gtin, Origin, Unit};
pub use self::company::{Company, FiscalAddress, TaxEnvironment, TaxRegime};
