//! What is looked at before an invoice is written: what the layout or the tax office would not
//! take.

use super::invoice::{Fiscal, Invoice, Line, RecipientId};
use super::key::is_random_code;
use super::text::fit;
use crate::error::{FieldErrors, Result};
use crate::fiscal::{Company, FiscalAddress, TaxRegime, state_code};
use crate::money::Money;
use crate::value::InvalidValue;

/// The most lines that the layout takes.
const MAX_LINES: usize = 990;

impl Invoice {
    /// What the layout or the tax office would not take.
    ///
    /// # Errors
    /// [`crate::Error::Invalid`] names every wrong field.
    pub fn check(&self) -> Result<()> {
        let mut wrong = FieldErrors::default();
        let gross: Money = self.gross().into_iter().sum();
        if self.lines.is_empty() || self.lines.len() > MAX_LINES {
            wrong.add_form(InvalidValue::InvoiceLines { least: 1, most: 990 });
        }
        if self.discount > gross || self.discount < Money::ZERO || self.freight < Money::ZERO {
            wrong.add_form(InvalidValue::InvoiceDiscount);
        }
        check_issuer(&mut wrong, &self.company, self.series, self.number, self.code);
        check_length(&mut wrong, "name", &self.recipient.name);
        check_place(&mut wrong, "address", &self.recipient.address);
        if matches!(&self.recipient.id, RecipientId::Company { cnpj, .. } if *cnpj == self.company.cnpj)
        {
            wrong.add("cnpj", InvalidValue::OwnCnpj);
        }
        let contributes = self.recipient.id.state_registration().is_some();
        for (place, line) in self.lines.iter().enumerate() {
            if contributes && matches!(line.cfop.as_str(), "6107" | "6108") {
                wrong.add(format!("items[{place}].cfop"), InvalidValue::CfopOfConsumers);
            }
            for (field, text) in [("code", &line.code), ("name", &line.name)] {
                if fit(text, 60).is_empty() {
                    wrong.add(format!("items[{place}].{field}"), InvalidValue::InvoiceText);
                }
            }
            check_codes(&mut wrong, self.company.regime, line, place);
        }
        wrong.into_result()
    }
}

/// What the layout would not take of who issues, and under which number.
pub(super) fn check_issuer(
    wrong: &mut FieldErrors,
    company: &Company,
    series: u16,
    number: u32,
    code: u32,
) {
    if series > 999 || !(1..=999_999_999).contains(&number) {
        wrong.add_form(InvalidValue::InvoiceNumber);
    }
    if !is_random_code(code, number) {
        wrong.add_form(InvalidValue::InvoiceCode);
    }
    check_length(wrong, "company.name", &company.name);
    check_place(wrong, "company", &company.address);
    let ie = &company.state_registration;
    let is_ie = (2..=14).contains(&ie.len()) && ie.bytes().all(|b| b.is_ascii_digit());
    if !is_ie && ie != "ISENTO" {
        wrong.add("company.stateRegistration", InvalidValue::StateRegistration);
    }
}

fn check_length(wrong: &mut FieldErrors, field: &str, text: &str) {
    if fit(text, 60).chars().count() < 2 {
        wrong.add(field, InvalidValue::MinCharacters { least: 2 });
    }
}

/// What the company's regime does not take of a line's codes.
fn check_codes(wrong: &mut FieldErrors, regime: TaxRegime, line: &Line, place: usize) {
    let Fiscal { csosn, ref cest, .. } = line.fiscal;
    let mut add = |field: &str, what| wrong.add(format!("items[{place}].{field}"), what);
    if !regime.takes_csosn(csosn) {
        add("csosn", InvalidValue::CsosnOfRegime);
    } else if !regime.takes_cfop(csosn, &line.cfop) {
        add("cfop", InvalidValue::CfopOfRegime);
    }
    if csosn.needs_cest() && cest.is_none() {
        add("cest", InvalidValue::CestRequired);
    }
}

fn check_place(wrong: &mut FieldErrors, field: &str, place: &FiscalAddress) {
    check_length(wrong, &format!("{field}.street"), &place.street);
    check_length(wrong, &format!("{field}.district"), &place.district);
    let state = state_code(&place.state).unwrap_or_default();
    if !place.city.code.starts_with(state) {
        wrong.add(format!("{field}.city"), InvalidValue::CityNotInState);
    }
}
