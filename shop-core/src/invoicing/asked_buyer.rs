//! The buyer that a request for an invoice names.

use crate::error::Result;
use crate::fiscal::{Buyer, BuyingCompany};
use crate::value::{Cnpj, Cpf, InvalidValue, StateRegistration, Text};

/// What may be said when an invoice is asked for.
#[apply(input!)]
#[derive(Default)]
pub struct EmitInvoice {
    /// The buyer's CPF, where the profile has none or another one is wanted.
    pub cpf: Option<Cpf>,
    /// The buyer's CNPJ, where a company buys that the profile does not name.
    pub cnpj: Option<Cnpj>,
    /// That company's registered name; the account's without it.
    pub company_name: Option<Text<2, 120>>,
    /// That company's state registration (IE), if it has one.
    pub state_registration: Option<StateRegistration>,
    /// Whether that company buys to sell again.
    pub buys_to_resell: Option<bool>,
}

/// The buyer by a CPF, or whom the order and the account say.
impl From<Option<Cpf>> for EmitInvoice {
    fn from(cpf: Option<Cpf>) -> Self {
        Self { cpf, ..Self::default() }
    }
}

impl EmitInvoice {
    /// The buyer, where the request names one.
    pub(super) fn buyer(self) -> Result<Option<Buyer>> {
        let company = BuyingCompany {
            cnpj: self.cnpj,
            company_name: self.company_name.map(|name| name.to_string()),
            state_registration: self.state_registration,
            buys_to_resell: self.buys_to_resell.unwrap_or_default(),
        };
        let mut wrong = company.check();
        if company.cnpj.is_some() && self.cpf.is_some() {
            wrong.add("cnpj", InvalidValue::OneBuyer);
        }
        wrong.into_result()?;
        Ok(Buyer::of(self.cpf.as_ref(), &company))
    }
}
