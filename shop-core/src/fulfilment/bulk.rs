//! Labels for all orders that wait for theirs.

use serde::Serialize;

use super::buy::{StoredPurchase, begin, bring_forward, read};
use super::{BuyLabels, Shipments, price};
use crate::actor::Actor;
use crate::error::{Error, Result, check_count};
use crate::id::{OrderId, ShipmentId};
use crate::idempotency::IdempotentRequest;
use crate::money::Money;
use crate::order;
use crate::shipment::{self, Shipment};
use crate::storage::Tx;
use crate::value::Text;

/// For how many orders labels are bought at once.
const MAX_ORDERS: usize = 100;
/// How many orders that are being prepared are looked at for those without a label.
const LOOKED_AT: i64 = 1000;

/// Orders to buy labels for.
#[apply(input!)]
#[derive(Default, Serialize)]
#[serde(default)]
pub struct BuyManyLabels {
    /// Which orders, at most 100; where they are left out, the oldest 100 that are paid, are being
    /// prepared and have no label.
    pub order_ids: Option<Vec<OrderId>>,
    /// As for one order.
    pub service: Option<Text<1, 40>>,
    /// What the labels of each order may cost together, as for one order.
    #[cfg_attr(feature = "schema", schemars(extend("x-emptyText" = "refused")))]
    pub max_price: Option<Money>,
}

/// What became of each order.
#[apply(inexact_answer!)]
pub struct LabelsBought {
    /// The shipments that were begun.
    pub shipments: Vec<Shipment>,
    /// Orders for which nothing could be bought.
    pub refused: Vec<UnboughtOrder>,
}

/// An order for which nothing could be bought.
#[apply(inexact_answer!)]
pub struct UnboughtOrder {
    /// Which one.
    pub order_id: OrderId,
    /// The number that people use; empty where there is no such order.
    pub order_number: String,
    /// Why, as [`Error::code`] says it.
    pub code: String,
    /// The fields that are missing or wrong, e.g. `recipient.document`.
    pub fields: Vec<String>,
    /// The whole refusal, for programs that have the library.
    #[serde(skip)]
    pub error: Error,
}

impl Shipments<'_> {
    /// Buys labels for all orders that wait, as [`Shipments::buy`] does for each. An order for
    /// which that is refused keeps none of the others from their labels. Where the database fails
    /// in between, the orders from that one on are told as refused with its error, beside the
    /// labels that were begun.
    ///
    /// # Errors
    /// [`Refusal::NoLabelProvider`](crate::error::Refusal::NoLabelProvider); [`Error::Invalid`] for
    /// more than 100 orders; whatever the database cannot do, as long as nothing was begun.
    ///
    /// Dropping the future does not stop it: each call of the provider and its booking run to their
    /// end.
    pub async fn buy_many(&self, by: &Actor, input: BuyManyLabels) -> Result<LabelsBought> {
        let fulfilment = self.fulfilment;
        fulfilment.provider()?;
        price::check(input.max_price)?;
        let orders = match input.order_ids {
            Some(ids) => {
                check_count("orderIds", ids.len(), MAX_ORDERS)?;
                ids
            }
            None => self.waiting_orders().await?,
        };
        let Begun { ids, refused } =
            self.begin_all(by, orders, input.service, input.max_price).await?;
        if let Err(error) = bring_forward(fulfilment, ids.clone()).await {
            tracing::warn!(%error, "labels that were begun are gone on with in the background");
        }
        let numbered = move |tx: &mut dyn Tx| {
            let numbered = refused.iter().map(|(id, error)| UnboughtOrder::of(tx, id, error));
            numbered.collect::<Result<Vec<_>>>()
        };
        let refused = fulfilment.cx.db().read("shipment.refused", numbered).await?;
        Ok(LabelsBought { shipments: read(fulfilment, ids).await?, refused })
    }

    /// Stores what is to be bought, order by order.
    async fn begin_all(
        &self,
        by: &Actor,
        orders: Vec<OrderId>,
        service: Option<Text<1, 40>>,
        max_price: Option<Money>,
    ) -> Result<Begun> {
        let mut done = Begun::default();
        let mut orders = orders.into_iter();
        while let Some(order) = orders.next() {
            let service = service.clone();
            let one = BuyLabels { service, max_price, parcels: None, recipient_cpf: None };
            let unkeyed = IdempotentRequest::new(None, "", "shipment.buy", &())?;
            match begin(self.fulfilment, by, &order, one, unkeyed).await {
                Ok(StoredPurchase { ids, .. }) => done.ids.extend(ids),
                Err(error) if !is_of_the_shop(&error) => done.refused.push((order, error)),
                Err(error) if done.ids.is_empty() => return Err(error),
                // Labels were begun, of which the caller must hear.
                Err(error) => {
                    let rest = std::iter::once(order).chain(orders);
                    done.refused.extend(rest.map(|order| (order, error.clone())));
                    break;
                }
            }
        }
        Ok(done)
    }

    /// The oldest 100 orders that are paid, are being prepared and have no label.
    ///
    /// Cancel safe: reads only.
    pub async fn waiting_orders(&self) -> Result<Vec<OrderId>> {
        let job = |tx: &mut dyn Tx| {
            let prepared = order::being_prepared(tx, LOOKED_AT)?;
            let mut waiting = shipment::without_label(tx, prepared)?;
            waiting.truncate(MAX_ORDERS);
            Ok(waiting)
        };
        self.fulfilment.cx.db().read("shipment.waiting_orders", job).await
    }
}

/// What was begun of many purchases.
#[derive(Default)]
struct Begun {
    ids: Vec<ShipmentId>,
    refused: Vec<(OrderId, Error)>,
}

/// Whether an error says nothing of the order: the next one would meet it too.
fn is_of_the_shop(error: &Error) -> bool {
    matches!(error, Error::Internal(_) | Error::Busy { .. } | Error::StorageUnavailable { .. })
}

impl UnboughtOrder {
    fn of(tx: &mut dyn Tx, id: &OrderId, error: &Error) -> Result<Self> {
        let fields = match error {
            Error::Invalid(wrong) => wrong.field_errors.keys().cloned().collect(),
            _ => Vec::new(),
        };
        let order_number = order::find(tx, id)?.map(|order| order.order_number);
        Ok(Self {
            order_id: id.clone(),
            order_number: order_number.unwrap_or_default(),
            code: error.code().to_owned(),
            fields,
            error: error.clone(),
        })
    }
}
