//! Buying labels for the parcels of an order.

use std::time::Duration;

use serde::Serialize;

use super::parcels::{NewParcel, Wanted};
use super::{CLAIM, Fulfilment, Shipments, WAIT, advance, parcels, price, request};
use crate::actor::Actor;
use crate::audit;
use crate::config::Config;
use crate::context::Work;
use crate::detached;
use crate::error::{Entity, Error, Refusal, Result};
use crate::id::{OrderId, ShipmentId};
use crate::idempotency::{IdempotencyKey, IdempotentRequest};
use crate::lane;
use crate::money::Money;
use crate::order::{self, Order};
use crate::shipment::{self, LabelProvider, Shipment, Stored};
use crate::shipping::packing;
use crate::storage::Tx;
use crate::value::{Cpf, InvalidValue, Text, Weight};

/// Labels to be bought for an order.
#[apply(input!)]
#[derive(Default, Serialize)]
#[serde(default)]
pub struct BuyLabels {
    /// The parcels as they were packed; those that were planned when the order was placed, as far
    /// as they have no label, where they are left out.
    pub parcels: Option<Vec<NewParcel>>,
    /// The provider's number of the service; what the customer chose, or `shipping.labels.service`,
    /// where it is left out.
    pub service: Option<Text<1, 40>>,
    /// What the labels may cost together; what the customer was quoted and
    /// `shipping.labels.max_over_quote` where it is left out.
    #[cfg_attr(feature = "schema", schemars(extend("x-emptyText" = "refused")))]
    pub max_price: Option<Money>,
    /// The recipient's CPF, which a label needs; kept with the order as its buyer's, where neither
    /// the order nor the profile has a number.
    pub recipient_cpf: Option<Cpf>,
}

impl Shipments<'_> {
    /// Buys a label for each parcel of a paid order, step by step: cart, payment, making. What is
    /// not done within some 20 seconds is gone on with in the background, so the labels that come
    /// back may be in any of these states, and a problem stands with each. With a key, a repeat
    /// answers with the same shipments as they are then.
    ///
    /// # Errors
    /// [`Refusal::NoLabelProvider`]; [`Entity::Order`]; [`Refusal::OrderNotShippable`];
    /// [`Conflict::ShipmentExists`](crate::error::Conflict::ShipmentExists) where the parcels have
    /// labels that were not given up; [`Error::Invalid`] where no service is known, for data that
    /// is missing of sender or recipient (`recipient.document`), and for parcels that are not the
    /// order's.
    ///
    /// Dropping the future does not stop it: each call of the provider and its booking run to their
    /// end.
    #[tracing::instrument(name = "shipment.buy", level = "debug", skip_all)]
    pub async fn buy(
        &self,
        by: &Actor,
        order: &OrderId,
        input: BuyLabels,
        key: Option<IdempotencyKey>,
    ) -> Result<Vec<Shipment>> {
        price::check(input.max_price)?;
        let request = IdempotentRequest::by(key, by, "shipment.buy", &(order, &input))?;
        let fulfilment = self.fulfilment;
        let begun = begin(fulfilment, by, order, input, request).await?;
        if begun.is_first {
            bring_forward(fulfilment, begun.ids.clone()).await?;
        }
        read(fulfilment, begun.ids).await
    }
}

/// Shipments that were written, or that a repeat names.
pub(super) struct StoredPurchase {
    pub(super) ids: Vec<ShipmentId>,
    /// Whether they are claimed by this caller, who goes on with them.
    pub(super) is_first: bool,
}

/// Stores what is to be bought, in one transaction.
pub(super) async fn begin(
    fulfilment: &Fulfilment,
    by: &Actor,
    order: &OrderId,
    input: BuyLabels,
    request: IdempotentRequest,
) -> Result<StoredPurchase> {
    let (provider, at) = (fulfilment.provider()?, fulfilment.cx.work());
    let (cx, by, order) = (fulfilment.cx.clone(), by.clone(), order.clone());
    let job = move |tx: &mut dyn Tx| {
        if let Some(ids) = request.stored_answer(tx, at.now())? {
            return Ok(StoredPurchase { ids, is_first: false });
        }
        let mut found = order::find(tx, &order)?.ok_or(Error::NotFound(Entity::Order))?;
        if let Some(cpf) = &input.recipient_cpf {
            request::name_recipient(tx, &mut found, cpf)?;
        }
        let new = draft(tx, &at, &found, &input, &*provider, cx.config())?;
        let ids: Vec<ShipmentId> = new.iter().map(|it| it.shipment.id.clone()).collect();
        for it in &new {
            shipment::insert(tx, it)?;
        }
        audit::record(tx, &at, &by, "shipment.buy", order.as_str(), &(), &Bought::of(&new))?;
        request.store_answer(tx, at.now(), &ids)?;
        Ok(StoredPurchase { ids, is_first: true })
    };
    fulfilment.cx.db().write(lane::INTEGRATIONS, "shipment.begin", job).await
}

/// What the audit log keeps of a purchase.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Bought<'a> {
    provider: &'a str,
    service: &'a str,
    parcels: Vec<i64>,
}

impl<'a> Bought<'a> {
    fn of(new: &'a [Stored]) -> Self {
        let first = new.first().map(|it| &it.shipment);
        Self {
            provider: first.map_or("", |it| it.provider.as_str()),
            service: first.map_or("", |it| it.service.as_str()),
            parcels: new.iter().map(|it| it.shipment.parcel).collect(),
        }
    }
}

/// Goes on with shipments for as long as a caller waits.
pub(super) async fn bring_forward(fulfilment: &Fulfilment, ids: Vec<ShipmentId>) -> Result<()> {
    let work = advance::all(fulfilment.clone(), ids, Duration::MAX);
    match tokio::time::timeout(WAIT, detached::to_its_end(work)).await {
        Ok(done) => done,
        // It goes on without the caller.
        Err(_) => Ok(()),
    }
}

/// These shipments as they are now.
pub(super) async fn read(fulfilment: &Fulfilment, ids: Vec<ShipmentId>) -> Result<Vec<Shipment>> {
    let job = move |tx: &mut dyn Tx| shipment::by_ids(tx, &ids);
    let found = fulfilment.cx.db().lookup("shipment.read", job).await?;
    Ok(found.into_iter().map(|it| it.shipment).collect())
}

/// Whether labels are bought for an order: it is paid, and its goods are here, or some of them.
pub(super) fn is_shippable(order: &Order) -> bool {
    order.is_paid() && order.status.is_shippable()
}

/// The shipments of an order as they are first written: claimed by the caller, who goes on with
/// them.
fn draft(
    tx: &mut dyn Tx,
    at: &Work,
    order: &Order,
    input: &BuyLabels,
    provider: &dyn LabelProvider,
    config: &Config,
) -> Result<Vec<Stored>> {
    if !is_shippable(order) {
        return Err(Error::Refused(Refusal::OrderNotShippable));
    }
    let live = parcels::live(tx, &order.id)?;
    let wanted = parcels::wanted(tx, order, input.parcels.as_deref(), &live)?;
    let service = service(tx, order, input, provider, config)?;
    request::parties(tx, config, order)?;
    let weights: Vec<Weight> = wanted.iter().map(|parcel| parcel.weight).collect();
    let quoted = price::quoted(tx, order)?;
    let allowed = input.max_price.or(price::left_to_pay(&config.shipping.labels, quoted, &live));
    let quoted = price::shares(price::left_of_quote(quoted, &live), &weights);
    let allowed = price::shares(allowed, &weights);
    let shares = quoted.into_iter().zip(allowed);
    let label = LabelOf { order, provider: provider.name(), service: &service };
    let new = |(parcel, (quoted, allowed))| label.draft(at, parcel, quoted, allowed);
    Ok(wanted.into_iter().zip(shares).map(new).collect())
}

/// Where and how the labels of an order are bought.
struct LabelOf<'a> {
    order: &'a Order,
    provider: &'a str,
    service: &'a str,
}

impl LabelOf<'_> {
    /// A shipment as it is first written: claimed by the caller.
    fn draft(
        &self,
        at: &Work,
        parcel: Wanted,
        quoted_price: Option<Money>,
        allowed_price: Option<Money>,
    ) -> Stored {
        let Wanted { number, sides, weight, items } = parcel;
        let mut shipment =
            Shipment::draft(at.id(), self.order.id.clone(), &self.order.order_number, at.now());
        shipment.reference = reference(self.order, number, &shipment.id);
        shipment.parcel = number;
        self.provider.clone_into(&mut shipment.provider);
        self.service.clone_into(&mut shipment.service);
        shipment.quoted_price = quoted_price;
        shipment.declared_value = items.iter().map(|item| item.price * item.quantity).sum();
        [shipment.length, shipment.width, shipment.height] = sides;
        (shipment.weight, shipment.items) = (weight, items);
        Stored {
            shipment,
            allowed_price,
            price_accepted: false,
            attempts: 0,
            check_at: Some(at.now().plus(CLAIM)),
            paying_at: None,
        }
    }
}

/// By which the provider finds the label: of this shipment alone.
fn reference(order: &Order, parcel: i64, id: &ShipmentId) -> String {
    let id: String = id.as_str().chars().filter(char::is_ascii_hexdigit).collect();
    let end = &id[id.len().saturating_sub(8)..];
    format!("{}-V{parcel}-{end}", order.order_number)
}

/// The provider's number of the service: the caller's, else what the customer chose of the
/// provider, else the shop's own.
fn service(
    tx: &mut dyn Tx,
    order: &Order,
    input: &BuyLabels,
    provider: &dyn LabelProvider,
    config: &Config,
) -> Result<String> {
    if let Some(service) = &input.service {
        return Ok(service.to_string());
    }
    let chosen = packing::chosen_option(tx, &order.id)?;
    let chosen = chosen.and_then(|option| provider.service_of(option.id.as_str()));
    let service = chosen.or_else(|| config.shipping.labels.service.clone());
    service.ok_or_else(|| Error::field("service", InvalidValue::Required))
}
