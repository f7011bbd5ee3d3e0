//! The number of an invoice: each is taken once, and without gaps.

use super::InvoiceKind;
use super::compose::{self, Numbering};
use super::store::{self, NewInvoice};
use super::terms::Terms;
use crate::actor::Actor;
use crate::audit;
use crate::context::Work;
use crate::error::{Error, Result};
use crate::id::InvoiceId;
use crate::money::Money;
use crate::nfe::is_random_code;
use crate::order::Order;
use crate::storage::Tx;

/// Takes a number for an order's sale.
pub(super) fn take(
    tx: &mut dyn Tx,
    at: &Work,
    terms: &Terms,
    by: &Actor,
    order: &Order,
) -> Result<InvoiceId> {
    compose::paid_by(order)?;
    take_for(tx, at, terms, by, order, (InvoiceKind::Sale, order.total))
}

/// Takes a number for an invoice of this kind and total.
pub(super) fn take_for(
    tx: &mut dyn Tx,
    at: &Work,
    terms: &Terms,
    by: &Actor,
    order: &Order,
    (kind, total): (InvoiceKind, Money),
) -> Result<InvoiceId> {
    let (scope, cnpj) = (terms.scope(), terms.setup.company.cnpj.as_str());
    let (series, first) = (terms.config.series, terms.config.first_number);
    let number = store::take_number(tx, scope, cnpj, series, first)?;
    let number = u32::try_from(number).map_err(Error::from_source)?;
    let numbering = Numbering { series, number, code: random_code(number)? };
    let id: InvoiceId = at.id();
    let order = &order.id;
    let new = NewInvoice { id: &id, kind, order, scope, cnpj, numbering, total };
    store::insert(tx, &new, at.now())?;
    let after = serde_json::json!({ "numero": number, "serie": series });
    let action = match kind {
        InvoiceKind::Sale => "nfe.emit",
        InvoiceKind::Return => "nfe.return",
    };
    audit::record(tx, at, by, action, order.as_str(), &serde_json::Value::Null, &after)?;
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
