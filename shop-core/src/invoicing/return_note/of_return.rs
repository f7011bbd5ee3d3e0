//! The invoice of a customer's return: of its units, and of what they were paid as the return says
//! it.

use super::super::issuer_setup::NumberScope;
use super::super::returned::ReturnGoods;
use super::super::store::{self, ReturnedUnits, StoredInvoice, StoredReturn, Taken};
use super::{Sale, Wanted, wanted};
use crate::error::{Conflict, Entity, Error, Refusal, Result};
use crate::id::ReturnId;
use crate::money::{Money, UnitsShare, share_of_units};
use crate::nfe::ReturnGround;
use crate::order::{self, OrderItem};
use crate::order_return::{self, OrderReturn, ReturnItem, ReturnKind, ReturnStatus};
use crate::storage::Tx;
use crate::value::InvalidValue;

/// What comes back with a return. `left` are the units of each line of the sale that no invoice
/// has, `all` what those of any return say: together they say no more than the sale's invoice.
pub(super) fn note(
    tx: &mut dyn Tx,
    sale: &Sale,
    goods: &ReturnGoods,
    id: &ReturnId,
    (left, all): (&[i64], &Taken),
) -> Result<StoredReturn> {
    let of = order_return::by_id(tx, id)?.filter(|it| it.order_id == sale.order.id);
    let of = of.ok_or(Error::NotFound(Entity::Return))?;
    let accepted = of.status.holds_units() && of.status != ReturnStatus::Requested;
    Conflict::ReturnState.unless(accepted)?;
    let said =
        [("refundShipping", goods.refund_shipping.is_some()), ("ground", goods.ground.is_some())];
    if let Some((field, _)) = said.into_iter().find(|(_, is_said)| *is_said) {
        return Err(Error::field(field, InvalidValue::SaidByReturn));
    }
    let is_before = sale.left_out_before.is_some_and(|issued_at| of.created_at < issued_at);
    if is_before && order::is_opened_unsent(tx, id)? {
        return Err(Error::Refused(Refusal::NothingToReturn));
    }
    let taken = store::taken(tx, &sale.id, Some(id))?;
    let of_line = |(item, left): (&OrderItem, &i64)| units_left(&of, &taken, item).min(*left);
    let left: Vec<i64> = sale.order.items.iter().zip(left).map(of_line).collect();
    let wanted = wanted(sale, goods.items.as_deref(), &left)?;
    let completes = left.iter().sum::<i64>() == wanted.iter().map(|it| it.quantity).sum::<i64>();
    let freight = (of.freight - taken.shipping).min(sale.document.freight - all.shipping);
    let items = wanted.iter().filter_map(|it| {
        let item = &sale.order.items[it.place];
        let said = all.units.get(&item.id).map_or(Money::ZERO, |units| units.discount);
        let of_sale = sale.document.lines[it.place].discount - said;
        let discount = discount(&of, &taken, item, it)?.min(of_sale);
        Some((item.id.clone(), ReturnedUnits { quantity: it.quantity, discount }))
    });
    Ok(StoredReturn {
        sale: sale.id.clone(),
        return_id: Some(of.id.clone()),
        ground: ground(&of),
        reason: goods.reason.as_ref().map(ToString::to_string),
        shipping: if completes { freight.max(Money::ZERO) } else { Money::ZERO },
        items: items.collect(),
    })
}

/// The latest invoice of a customer's return that is asked for once more without a key: all its
/// units have one, and it names none.
pub(super) fn issued(
    tx: &mut dyn Tx,
    scope: NumberScope,
    sale: &Sale,
    goods: &ReturnGoods,
) -> Result<Option<StoredInvoice>> {
    let ReturnGoods {
        return_id: Some(id), items: None, ground: None, refund_shipping: None, ..
    } = goods
    else {
        return Ok(None);
    };
    let of = order_return::by_id(tx, id)?.filter(|it| it.order_id == sale.order.id);
    let Some(of) = of.filter(|it| it.status.holds_units()) else { return Ok(None) };
    let taken = store::taken(tx, &sale.id, Some(id))?;
    if sale.order.items.iter().any(|item| units_left(&of, &taken, item) > 0) {
        return Ok(None);
    }
    store::live_of_return(tx, scope, id)
}

fn line_of<'r>(of: &'r OrderReturn, item: &OrderItem) -> Option<&'r ReturnItem> {
    of.items.iter().find(|line| line.order_item_id == item.id)
}

/// The units of an item that arrived, or are to come, and that no invoice of the return has yet.
fn units_left(of: &OrderReturn, taken: &Taken, item: &OrderItem) -> i64 {
    let here = line_of(of, item).map_or(0, |line| line.received.unwrap_or_else(|| line.units()));
    here - taken.units.get(&item.id).map_or(0, |units| units.quantity)
}

/// What of the discount that the return's line has belongs to the units that are wanted.
fn discount(of: &OrderReturn, taken: &Taken, item: &OrderItem, wanted: &Wanted) -> Option<Money> {
    let line = line_of(of, item)?;
    let units = line.units();
    let whole = UnitsShare { units, amount: item.price * units - line.amount };
    let before = taken.units.get(&item.id).copied().unwrap_or_default();
    Some(share_of_units(whole, before.into(), wanted.quantity))
}

/// By which right: what came after its term came because both sides agreed on it.
fn ground(of: &OrderReturn) -> ReturnGround {
    match of.kind {
        _ if of.courtesy => ReturnGround::Agreement,
        ReturnKind::Withdrawal => ReturnGround::Withdrawal,
        ReturnKind::Defect => ReturnGround::Defect,
    }
}
