//! The first job of placing an order, and the carriers that are asked after it.

use std::time::Duration;

use super::PlaceOrder;
use super::lines::{Item, PricedLine, line_of, packed, price_lines, saved_line, wanted_lines};
use crate::account;
use crate::cart;
use crate::context::Work;
use crate::error::{Entity, Error, Refusal, Result};
use crate::id::{AccountId, ShippingOptionId};
use crate::idempotency::IdempotentRequest;
use crate::money::Money;
use crate::order::Order;
use crate::shipping::{self, Parcel, QuoteService, ShippingOption, ShippingRules};
use crate::storage::Tx;
use crate::value::Cep;

/// What the first job found.
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
    /// What to ask carriers about, where they have a say.
    pub(super) parcel: Option<Parcel>,
    /// What is ordered, as far as it matters which rows the order will change.
    pub(super) items: Vec<Item>,
    /// What the shipping price will be for.
    pub(super) quoted: Quoted,
}

/// What a shipping price is for. While carriers are asked, customers can change their address and
/// their cart.
pub(super) struct Quoted {
    to: Cep,
    /// What is sent, where carriers have a say.
    items: Option<Vec<Item>>,
}

impl Quoted {
    /// # Errors
    /// [`Error::Busy`] where something else is to be sent, or to another place: a repeat asks anew.
    pub(super) fn check(&self, to: &Cep, items: &[Item]) -> Result<()> {
        if self.to == *to && self.items.as_deref().is_none_or(|quoted| quoted == items) {
            return Ok(());
        }
        Err(Error::Busy { retry_after: Duration::from_secs(1) })
    }
}

/// The first job: is this a repeat, and what parcel goes where? With rules where carriers are asked.
pub(super) fn plan(
    tx: &mut dyn Tx,
    at: &Work,
    customer: &AccountId,
    order: &PlaceOrder,
    request: &IdempotentRequest,
    carriers: Option<ShippingRules>,
) -> Result<Plan> {
    if let Some(first) = request.stored_answer(tx, at.now())? {
        return Ok(Plan::Replay(Box::new(first)));
    }
    let address = account::address(tx, customer, &order.address_id)?
        .ok_or(Error::NotFound(Entity::Address))?;
    // Where the postal code is: a parcel travels by it, whatever state the customer wrote, and nobody
    // takes one to a code of no state.
    let state = shipping::state_of(&address.zip_code).ok_or(Error::Refused(Refusal::UnknownCep))?;
    let tariffs = shipping::static_options(tx, &state)?;
    let wanted = order.shipping_option_id.as_ref();
    let own_tariff = wanted.is_some_and(|id| id.as_str().starts_with(shipping::STATIC));
    let to = address.zip_code;
    let (parcel, quoted) = match carriers {
        Some(rules) if !own_tariff => {
            let sent = wanted_lines(tx, customer, order)?;
            (parcel(tx, &sent, wanted.is_some(), &to, rules)?, Some(sent))
        }
        _ => (None, None),
    };
    let items = match &order.cart_items {
        Some(items) => items.iter().map(line_of).collect(),
        // Where one order at a time is placed nobody locks anything.
        None if !tx.dialect().is_remote => Vec::new(),
        None => cart::saved_lines(tx, customer.as_str())?.into_iter().map(saved_line).collect(),
    };
    let quoted = Quoted { to, items: quoted };
    Ok(Plan::Ship(Shipment { tariffs, parcel, items, quoted }))
}

/// What carriers would be asked about; nothing where shipping is free and any option will do.
fn parcel(
    tx: &mut dyn Tx,
    sent: &[Item],
    is_option_named: bool,
    to: &Cep,
    rules: ShippingRules,
) -> Result<Option<Parcel>> {
    let lines = price_lines(tx, sent)?;
    let subtotal: Money = lines.iter().map(PricedLine::total).sum();
    if rules.is_free(subtotal) && !is_option_named {
        return Ok(None);
    }
    Ok(Parcel::packed(to.clone(), &packed(tx, &lines)?))
}

/// Between the jobs: the option asked for, else the cheapest that a carrier offers, else the
/// cheapest tariff; `None` where nothing at all can be quoted.
pub(super) async fn choose(
    quotes: &QuoteService,
    tariffs: Vec<ShippingOption>,
    parcel: Option<Parcel>,
    wanted: Option<&ShippingOptionId>,
) -> Result<Option<ShippingOption>> {
    match (wanted, parcel) {
        (None, Some(parcel)) => {
            let offered = quotes.quote(&parcel).await.into_iter().next();
            Ok(offered.or_else(|| tariffs.into_iter().next()))
        }
        (None, None) => Ok(tariffs.into_iter().next()),
        (Some(id), parcel) => {
            let found = match parcel {
                Some(parcel) => quotes.named(&parcel, id).await,
                None => tariffs.into_iter().find(|option| option.id == *id),
            };
            found.map(Some).ok_or(Error::Refused(Refusal::UnknownShippingOption))
        }
    }
}
