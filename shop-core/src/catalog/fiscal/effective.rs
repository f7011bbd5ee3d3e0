//! What holds for a product, and who says so.

use serde::Serialize;

use super::ProductFiscal;
use crate::config::NfeConfig;
use crate::error::FieldErrors;
use crate::fiscal::{Csosn, Digits, Gtin, Origin, Production, TaxRegime, Unit};
use crate::value::{InvalidValue, wire_enum};

wire_enum! {
    /// Who says what holds for a product.
    #[cfg_attr(feature = "schema", schemars(inline))]
    pub enum FiscalSource {
        /// The product itself.
        Product = "product",
        /// Its category.
        Category = "category",
        /// The company's settings.
        Company = "company",
        /// A sample of the sandbox, which no invoice that counts is issued with.
        Sample = "sample",
    }
}

/// A value that holds, and who says so.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(inline))]
#[non_exhaustive]
pub struct Effective<T> {
    /// The value.
    pub value: T,
    /// Who says so.
    pub from: FiscalSource,
}

/// What holds for a product, or for the products of a category that say nothing else.
#[apply(answer!)]
pub struct EffectiveFiscal {
    /// Its place in the nomenclature of goods; without it there is no invoice.
    pub ncm: Option<Effective<Digits<8>>>,
    /// Its code for tax substitution.
    pub cest: Option<Effective<Digits<7>>>,
    /// The code of operation of a sale within the company's state.
    pub cfop_in_state: Effective<Digits<4>>,
    /// The code of operation of a sale to another state.
    pub cfop_out_of_state: Effective<Digits<4>>,
    /// The number of its bar code.
    pub gtin: Option<Effective<Gtin>>,
    /// Where it comes from.
    pub origin: Effective<Origin>,
    /// The situation under Simples Nacional.
    pub csosn: Effective<Csosn>,
    /// What it is counted in.
    pub unit: Effective<Unit>,
    /// Whether the shop makes it.
    pub production: Effective<Production>,
}

/// The product's value, else the category's.
fn said<T: Clone>(product: Option<&T>, category: Option<&T>) -> Option<Effective<T>> {
    let by = |from| move |value: &T| Effective { value: value.clone(), from };
    let own = product.map(by(FiscalSource::Product));
    own.or_else(|| category.map(by(FiscalSource::Category)))
}

/// The company's, where neither says anything.
fn else_company<T: Clone>(said: Option<Effective<T>>, company: &T) -> Effective<T> {
    said.unwrap_or_else(|| Effective { value: company.clone(), from: FiscalSource::Company })
}

impl EffectiveFiscal {
    /// What holds for a product of a category.
    pub(crate) fn of(own: &ProductFiscal, category: &ProductFiscal, config: &NfeConfig) -> Self {
        let defaults = &config.defaults;
        let production = said(own.production.as_ref(), category.production.as_ref());
        let production = else_company(production, &defaults.production);
        let cfop = |own: &Option<_>, category: &Option<_>, in_state| {
            let usual = config.cfop.of(config.regime(), production.value, in_state);
            else_company(said(own.as_ref(), category.as_ref()), &usual)
        };
        let cfop_in_state = cfop(&own.cfop_in_state, &category.cfop_in_state, true);
        let cfop_out_of_state = cfop(&own.cfop_out_of_state, &category.cfop_out_of_state, false);
        let ncm = said(own.ncm.as_ref(), category.ncm.as_ref());
        let csosn = said(own.csosn.as_ref(), category.csosn.as_ref());
        let origin = said(own.origin.as_ref(), category.origin.as_ref());
        let unit = said(own.unit.as_ref(), category.unit.as_ref());
        Self {
            ncm: ncm.or_else(|| ncm_of(config)),
            cest: said(own.cest.as_ref(), category.cest.as_ref()),
            cfop_in_state,
            cfop_out_of_state,
            gtin: said(own.gtin.as_ref(), None),
            origin: else_company(origin, &defaults.origin),
            csosn: else_company(csosn, &defaults.csosn),
            unit: else_company(unit, &defaults.unit),
            production,
        }
    }

    /// What the company's regime does not take, by field.
    pub(crate) fn check(&self, regime: TaxRegime) -> FieldErrors {
        let mut wrong = FieldErrors::default();
        let csosn = self.csosn.value;
        if !regime.takes_csosn(csosn) {
            wrong.add("csosn", InvalidValue::CsosnOfRegime);
        }
        let codes = [
            ("cfopInState", &self.cfop_in_state.value, '5'),
            ("cfopOutOfState", &self.cfop_out_of_state.value, '6'),
        ];
        for (field, code, first) in codes {
            if !code.as_str().starts_with(first) {
                wrong.add(field, InvalidValue::CfopPlace { first });
            } else if regime.takes_csosn(csosn) && !regime.takes_cfop(csosn, code) {
                wrong.add(field, InvalidValue::CfopOfRegime);
            }
        }
        wrong
    }

    /// The same, with what only a product must say.
    pub(crate) fn check_product(&self, regime: TaxRegime) -> FieldErrors {
        let mut wrong = self.check(regime);
        if self.csosn.value.needs_cest() && self.cest.is_none() {
            wrong.add("cest", InvalidValue::CestRequired);
        }
        wrong
    }
}

/// The company's place in the nomenclature, else the sandbox's sample.
fn ncm_of(config: &NfeConfig) -> Option<Effective<Digits<8>>> {
    let set = config.defaults.ncm.clone();
    let set = set.map(|value| Effective { value, from: FiscalSource::Company });
    set.or_else(|| config.sample_ncm().map(|value| Effective { value, from: FiscalSource::Sample }))
}
