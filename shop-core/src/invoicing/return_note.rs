//! Which units of a sale come back by an invoice, what of its money belongs to them, and the
//! invoice that says so.

mod of_return;

use super::compose::Numbering;
use super::draft::Draft;
use super::emit::{EmissionStart, start_emission};
use super::number;
use super::returned::{ReturnGoods, ReturnGoodsItem};
use super::store::{self, ReturnedUnits, StoredInvoice, StoredReturn, Taken};
use super::terms::Terms;
use super::units;
use super::{InvoiceKind, InvoiceStatus};
use crate::actor::Actor;
use crate::clock::Timestamp;
use crate::context::Work;
use crate::error::{Entity, Error, Refusal, Result};
use crate::id::{InvoiceId, OrderId, OrderItemId};
use crate::idempotency::IdempotentRequest;
use crate::money::{Money, UnitsShare, portion, share_of_units};
use crate::nfe::{IssuedSale, Responsible, ReturnInvoice, ReturnedLine, SoldLine};
use crate::order::{self, Order};
use crate::storage::Tx;
use crate::value::InvalidValue;

/// How long a caller waits who finds the sale's invoice being cancelled.
const CANCELLING: std::time::Duration = std::time::Duration::from_secs(5);

/// An authorised sale with its document, and its order as the document says it.
struct Sale {
    id: InvoiceId,
    /// Returns that were opened before this, while the order was not sent, are not on it; None of a
    /// document that an earlier version made, which has all units.
    left_out_before: Option<Timestamp>,
    order: Order,
    document: IssuedSale,
}

/// Units of one line that come back now.
#[derive(Debug, Clone, Copy)]
struct Wanted {
    /// The line's place in the order and in the sale's document, from 0.
    place: usize,
    quantity: i64,
}

/// Takes a number for what comes back, or finds the invoice that a request with the same key began,
/// or that a customer's return has already.
pub(super) fn begin(
    tx: &mut dyn Tx,
    at: &Work,
    terms: &Terms,
    by: &Actor,
    (order, goods, request): (&OrderId, &ReturnGoods, &IdempotentRequest),
) -> Result<EmissionStart> {
    if let Some(first) = request.stored_answer::<InvoiceId>(tx, at.now())? {
        let stored = store::get_return(tx, terms.scope(), &first)?;
        match stored.invoice.status {
            InvoiceStatus::Cancelled => return Ok(EmissionStart::Done(Box::new(stored.invoice))),
            // Its number is another document's, or has none: the goods still need an invoice.
            InvoiceStatus::Denied | InvoiceStatus::Taken | InvoiceStatus::Disabled => {}
            _ => return resume(tx, terms, stored, at.now()),
        }
    }
    let sale = sale_of(tx, terms, order)?;
    if let Some(stored) = of_return::issued(tx, terms.scope(), &sale, goods)? {
        request.store_answer(tx, at.now(), &stored.invoice.id)?;
        return resume(tx, terms, stored, at.now());
    }
    let note = note(tx, &sale, goods)?;
    let total = total(&sale, &note);
    let kind = (InvoiceKind::Return, total);
    let id = number::take_for(tx, at, terms, by, &sale.order, kind)?;
    store::insert_return(tx, &id, &note)?;
    request.store_answer(tx, at.now(), &id)?;
    let stored = store::get(tx, &id)?;
    resume(tx, terms, stored, at.now())
}

/// Goes on with an invoice that has a number.
pub(super) fn resume(
    tx: &mut dyn Tx,
    terms: &Terms,
    stored: StoredInvoice,
    now: Timestamp,
) -> Result<EmissionStart> {
    start_emission(tx, stored, |tx, stored| {
        let note = store::return_of(tx, &stored.invoice.id)?;
        let sale = sale_of(tx, terms, &stored.invoice.order_id)?;
        let invoice = compose(terms, sale, note, stored.numbering(), now)?;
        Ok(Draft::Return(Box::new(invoice)))
    })
}

/// The sale whose goods an invoice says came back must still stand when it is handed over.
pub(super) fn check_sale(tx: &mut dyn Tx, id: &InvoiceId) -> Result<()> {
    let sale = store::return_of(tx, id)?.sale;
    match store::get(tx, &sale)?.invoice.status {
        InvoiceStatus::Authorized => Ok(()),
        _ => Err(Error::NotFound(Entity::Invoice)),
    }
}

fn sale_of(tx: &mut dyn Tx, terms: &Terms, order: &OrderId) -> Result<Sale> {
    let mut order = order::find(tx, order)?.ok_or(Error::NotFound(Entity::Order))?;
    let live = store::live(tx, terms.scope(), &order.id)?;
    let is_authorized = |it: &StoredInvoice| it.invoice.status == InvoiceStatus::Authorized;
    let stored = live.filter(is_authorized).ok_or(Error::NotFound(Entity::Invoice))?;
    if stored.cancel_xml.is_some() {
        return Err(Error::Busy { retry_after: CANCELLING });
    }
    let xml = store::authorized_xml(tx, terms.scope(), &order.id)?;
    let xml = xml.ok_or(Error::NotFound(Entity::Invoice))?;
    let document = IssuedSale::parse(&xml.nfe_proc)?;
    let mut left_out_before = None;
    if let Some(units) = store::units_of(tx, &stored)? {
        units::keep(&mut order.items, &units);
        left_out_before = Some(store::latest_document(tx, &stored)?.issued_at);
    }
    let same = |(item, line): (&order::OrderItem, &SoldLine)| {
        item.quantity == line.quantity && item.price == line.price
    };
    if document.lines.len() != order.items.len()
        || !order.items.iter().zip(&document.lines).all(same)
    {
        return Err(Error::internal("the sale's document does not say what the order does"));
    }
    Ok(Sale { id: stored.invoice.id, left_out_before, order, document })
}

/// What comes back, and what of the sale's money belongs to it.
fn note(tx: &mut dyn Tx, sale: &Sale, goods: &ReturnGoods) -> Result<StoredReturn> {
    let all = store::taken(tx, &sale.id, None)?;
    let left = left(sale, &all);
    if let Some(id) = &goods.return_id {
        return of_return::note(tx, sale, goods, id, (&left, &all));
    }
    let wanted = wanted(sale, goods.items.as_deref(), &left)?;
    let completes = left.iter().sum::<i64>() == wanted.iter().map(|it| it.quantity).sum::<i64>();
    let whole = completes && all.units.is_empty();
    let item = |it: &Wanted| {
        let (id, line) = (&sale.order.items[it.place].id, &sale.document.lines[it.place]);
        let before = all.units.get(id).copied().unwrap_or_default();
        let line = UnitsShare { units: line.quantity, amount: line.discount };
        let discount = share_of_units(line, before.into(), it.quantity);
        (id.clone(), ReturnedUnits { quantity: it.quantity, discount })
    };
    let items: Vec<_> = wanted.iter().map(item).collect();
    let shipping = match goods.refund_shipping.unwrap_or(whole) {
        true if completes => sale.document.freight - all.shipping,
        true => shipping_share(sale, &all, &items),
        false => Money::ZERO,
    };
    Ok(StoredReturn {
        sale: sale.id.clone(),
        return_id: None,
        ground: goods.ground.unwrap_or_default(),
        reason: goods.reason.as_ref().map(ToString::to_string),
        shipping,
        items,
    })
}

/// The units of each line that no invoice has yet.
fn left(sale: &Sale, all: &Taken) -> Vec<i64> {
    let items = sale.order.items.iter();
    let taken = |id: &OrderItemId| all.units.get(id).map_or(0, |units| units.quantity);
    items.map(|item| item.quantity - taken(&item.id)).collect()
}

/// The units that come back; where none are named, all that are left. Several entries of one line
/// are summed.
fn wanted(sale: &Sale, items: Option<&[ReturnGoodsItem]>, left: &[i64]) -> Result<Vec<Wanted>> {
    if left.iter().all(|units| *units == 0) {
        return Err(Error::Refused(Refusal::NothingToReturn));
    }
    let mut units = vec![0; left.len()];
    match items {
        None => units.copy_from_slice(left),
        Some([]) => return Err(Error::field("items", InvalidValue::MinItems { least: 1 })),
        Some(items) => {
            for (at, item) in items.iter().enumerate() {
                let place = sale.order.items.iter().position(|it| it.id == item.order_item_id);
                let unknown = || {
                    Error::field(format!("items[{at}].orderItemId"), InvalidValue::UnknownOrderItem)
                };
                let place = place.ok_or_else(unknown)?;
                units[place] += item.quantity.get();
                if units[place] > left[place] {
                    let most = u64::try_from(left[place]).unwrap_or_default();
                    let wrong = InvalidValue::ReturnedUnits { most };
                    return Err(Error::field(format!("items[{at}].quantity"), wrong));
                }
            }
        }
    }
    let wanted = units.into_iter().enumerate().filter(|(_, quantity)| *quantity > 0);
    Ok(wanted.map(|(place, quantity)| Wanted { place, quantity }).collect())
}

/// What of the freight belongs to a part of the goods, by what was paid for them: with what went
/// before it is the part of all of them.
fn shipping_share(sale: &Sale, all: &Taken, items: &[(OrderItemId, ReturnedUnits)]) -> Money {
    let sold = sale.document.lines.iter();
    let whole: Money = sold.map(|line| line.price * line.quantity - line.discount).sum();
    let before = all.units.iter().map(|(id, units)| goods(sale, id, *units));
    let back: Money = before.chain(items.iter().map(|(id, units)| goods(sale, id, *units))).sum();
    let due = portion(sale.document.freight, back.cents(), whole.cents());
    (due - all.shipping).max(Money::ZERO)
}

/// What units of an item were paid.
fn goods(sale: &Sale, id: &OrderItemId, units: ReturnedUnits) -> Money {
    let item = sale.order.items.iter().find(|item| item.id == *id);
    item.map_or(Money::ZERO, |item| item.price) * units.quantity - units.discount
}

fn total(sale: &Sale, note: &StoredReturn) -> Money {
    note.items.iter().map(|(id, units)| goods(sale, id, *units)).sum::<Money>() + note.shipping
}

fn compose(
    terms: &Terms,
    sale: Sale,
    note: StoredReturn,
    numbering: Numbering,
    now: Timestamp,
) -> Result<ReturnInvoice> {
    let line = |(place, item): (usize, &order::OrderItem)| {
        let (_, units) = note.items.iter().find(|(id, _)| *id == item.id)?;
        let ReturnedUnits { quantity, discount } = *units;
        Some(ReturnedLine { place: place + 1, quantity, discount })
    };
    let invoice = ReturnInvoice {
        environment: terms.scope().environment(),
        series: numbering.series,
        number: numbering.number,
        code: numbering.code,
        issued_at: now,
        company: terms.setup.company.clone(),
        lines: sale.order.items.iter().enumerate().filter_map(line).collect(),
        sale: sale.document,
        freight: note.shipping,
        ground: note.ground,
        reason: note.reason,
        order_number: sale.order.order_number,
        responsible: Responsible::of(&terms.config.responsible),
    };
    invoice.check()?;
    Ok(invoice)
}
