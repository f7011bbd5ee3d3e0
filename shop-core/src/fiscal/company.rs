//! The company that issues, and where and how it is taxed.

use super::city::City;
use super::csosn::TaxRegime;
use crate::value::{Cep, Cnpj, Uf};

/// The company that issues.
#[derive(Debug, Clone)]
pub struct Company {
    /// Its number.
    pub cnpj: Cnpj,
    /// Its registered name.
    pub name: String,
    /// What it is known as.
    pub trade_name: Option<String>,
    /// Its registration with the state (IE), or `ISENTO`.
    pub state_registration: String,
    /// How it is taxed.
    pub regime: TaxRegime,
    /// Where it is.
    pub address: FiscalAddress,
    /// Its telephone number.
    pub phone: Option<String>,
}

/// An address with its city.
#[derive(Debug, Clone)]
pub struct FiscalAddress {
    /// Street.
    pub street: String,
    /// House number.
    pub number: String,
    /// Flat, block and the like.
    pub complement: Option<String>,
    /// District.
    pub district: String,
    /// City.
    pub city: City,
    /// State.
    pub state: Uf,
    /// Postal code.
    pub zip_code: Cep,
}

#[cfg(feature = "nfe")]
impl FiscalAddress {
    /// The state by its IBGE code: 35 is São Paulo.
    pub(crate) fn state_code(&self) -> &'static str {
        &self.city.code[..2]
    }
}
