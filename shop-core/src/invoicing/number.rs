//! The number of an order's invoice: each is taken once, and without gaps.

use super::compose::{self, Numbering};
use super::store;
use super::terms::Terms;
use crate::actor::Actor;
use crate::audit;
use crate::context::Work;
use crate::error::{Error, Result};
use crate::id::InvoiceId;
use crate::nfe::is_random_code;
use crate::order;
use crate::storage::Tx;

/// Takes a number for an order.
pub(super) fn take(
    tx: &mut dyn Tx,
    at: &Work,
    terms: &Terms,
    by: &Actor,
    order: &order::Order,
) -> Result<InvoiceId> {
    compose::paid_by(order)?;
    let (scope, cnpj) = (terms.scope(), terms.setup.company.cnpj.as_str());
    let (series, first) = (terms.config.series, terms.config.first_number);
    let number = store::take_number(tx, scope, cnpj, series, first)?;
    let number = u32::try_from(number).map_err(Error::from_source)?;
    let numbering = Numbering { series, number, code: random_code(number)? };
    let id: InvoiceId = at.id();
    store::insert(tx, at, &id, order, scope, cnpj, numbering)?;
    let after = serde_json::json!({ "numero": number, "serie": series });
    audit::record(tx, at, by, "nfe.emit", order.id.as_str(), &serde_json::Value::Null, &after)?;
    Ok(id)
}

/// The random part of a key, which stays the number's: a corrected document of the same month has
/// the same key, so the office itself refuses a second one.
fn random_code(number: u32) -> Result<u32> {
    loop {
        let mut bytes = [0_u8; 4];
        getrandom::fill(&mut bytes).map_err(Error::from_source)?;
        let code = u32::from_le_bytes(bytes) % 100_000_000;
        if is_random_code(code, number) {
            return Ok(code);
        }
    }
}
