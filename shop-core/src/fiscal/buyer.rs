//! Who buys, as the tax office knows it.

use serde::{Deserialize, Serialize};

use crate::error::FieldErrors;
use crate::storage::read_columns;
use crate::value::{Cnpj, Cpf, InvalidValue, StateRegistration};

/// The company that somebody buys for.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(inline))]
#[serde(rename_all = "camelCase", default)]
#[non_exhaustive]
pub struct BuyingCompany {
    /// The company's number (CNPJ), which may have letters. With it invoices are the company's.
    pub cnpj: Option<Cnpj>,
    /// The company's registered name; invoices have the account's name without it.
    pub company_name: Option<String>,
    /// The company's registration with its state (IE), if it pays the tax on goods.
    pub state_registration: Option<StateRegistration>,
    /// Whether the company buys to sell again, not for its own use.
    pub buys_to_resell: bool,
}

read_columns!(BuyingCompany: cnpj, company_name, state_registration, buys_to_resell);

/// Who buys: a person or a company.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(inline))]
#[serde(rename_all = "camelCase", default)]
#[non_exhaustive]
pub struct Buyer {
    /// What the account was called; null for an order that an earlier version of the shop took.
    pub name: Option<String>,
    /// The person's number.
    pub cpf: Option<Cpf>,
    /// The company, if it buys.
    #[serde(flatten)]
    pub company: BuyingCompany,
}

impl Buyer {
    /// The buyer that an account with these is; a company goes before a person.
    pub(crate) fn of(cpf: Option<&Cpf>, company: &BuyingCompany) -> Option<Self> {
        if company.cnpj.is_some() {
            return Some(Self { company: company.clone(), ..Self::default() });
        }
        let person = |cpf: &Cpf| Self { cpf: Some(cpf.clone()), ..Self::default() };
        cpf.map(person)
    }
}

impl BuyingCompany {
    /// What does not go together: only a company has a registration, and only one with a
    /// registration buys to sell again (`indIEDest` 2, a contributor without one, is refused in
    /// many states, and no company is made one here).
    pub(crate) fn check(&self) -> FieldErrors {
        let mut wrong = FieldErrors::default();
        if self.cnpj.is_none() && self.state_registration.is_some() {
            wrong.add("cnpj", InvalidValue::RequiredWith { other: "stateRegistration" });
        }
        if self.cnpj.is_none() && self.company_name.is_some() {
            wrong.add("cnpj", InvalidValue::RequiredWith { other: "companyName" });
        }
        if self.buys_to_resell && self.state_registration.is_none() {
            wrong.add("stateRegistration", InvalidValue::RequiredWith { other: "buysToResell" });
        }
        wrong
    }
}
