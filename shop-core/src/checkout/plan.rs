//! What is looked up of an order before carriers are asked about it, and asking them.

use super::PlaceOrder;
use super::freight::{Quoted, is_asked_about, of_tariffs};
use super::lines::{Item, PricedLine, packed, price_lines, wanted_lines};
use crate::account::{self, Address};
use crate::context::Work;
use crate::error::{Entity, Error, Refusal, Result};
use crate::id::{AccountId, AddressId, ShippingOptionId};
use crate::idempotency::IdempotentRequest;
use crate::money::Money;
use crate::order::Order;
use crate::shipping::{self, Parcel, QuoteService, ShippingOption, ShippingRules};
use crate::storage::Tx;
use crate::value::{Cep, Uf};

/// What was found.
pub(super) enum Plan {
    /// The request is a repeat; here is its first answer.
    Replay(Box<Order>),
    /// It is a parcel to be sent.
    Ship(Shipment),
}

/// What is known of a parcel before its order is placed.
pub(super) struct Shipment {
    /// What the shop's own tariffs offer, cheapest first.
    pub(super) tariffs: Vec<ShippingOption>,
    /// What the shipping price will be for.
    pub(super) quoted: Quoted,
}

/// Where an order goes.
pub(super) fn destination(
    tx: &mut dyn Tx,
    customer: &AccountId,
    address: &AddressId,
) -> Result<(Address, Uf)> {
    let address =
        account::address(tx, customer, address)?.ok_or(Error::NotFound(Entity::Address))?;
    // Where the postal code is: a parcel travels by it, whatever state the customer wrote, and
    // nobody takes one to a code of no state.
    let state = shipping::state_of(&address.zip_code).ok_or(Error::Refused(Refusal::UnknownCep))?;
    Ok((address, state))
}

/// Is this a repeat, and what parcel goes where?
pub(super) fn plan(
    tx: &mut dyn Tx,
    at: &Work,
    customer: &AccountId,
    order: &PlaceOrder,
    request: &IdempotentRequest,
    rules: ShippingRules,
) -> Result<Plan> {
    if let Some(first) = request.stored_answer(tx, at.now())? {
        return Ok(Plan::Replay(Box::new(first)));
    }
    let (address, state) = destination(tx, customer, &order.address_id)?;
    let tariffs = shipping::static_options(tx, &state)?;
    let (to, items) = (address.zip_code, wanted_lines(tx, customer, order)?);
    let parcel = parcel(tx, order, &items, &to, rules)?;
    Ok(Plan::Ship(Shipment { tariffs, quoted: Quoted { to, items, parcel } }))
}

/// What carriers would be asked about; nothing where they have no say.
fn parcel(
    tx: &mut dyn Tx,
    order: &PlaceOrder,
    sent: &[Item],
    to: &Cep,
    rules: ShippingRules,
) -> Result<Option<Parcel>> {
    let lines = price_lines(tx, sent)?;
    let subtotal: Money = lines.iter().map(PricedLine::total).sum();
    if !is_asked_about(order, subtotal, rules) {
        return Ok(None);
    }
    Ok(Parcel::packed(to.clone(), &packed(tx, &lines)?))
}

/// The option asked for, else the cheapest that a carrier offers, else the cheapest tariff; `None`
/// where nothing at all can be quoted.
pub(super) async fn choose(
    quotes: &QuoteService,
    tariffs: Vec<ShippingOption>,
    parcel: Option<&Parcel>,
    wanted: Option<&ShippingOptionId>,
) -> Result<Option<ShippingOption>> {
    let Some(parcel) = parcel else { return of_tariffs(tariffs, wanted) };
    let Some(id) = wanted else {
        let offered = quotes.quote(parcel).await.into_iter().next();
        return Ok(offered.or_else(|| tariffs.into_iter().next()));
    };
    let named = quotes.named(parcel, id).await;
    named.map(Some).ok_or(Error::Refused(Refusal::UnknownShippingOption))
}
