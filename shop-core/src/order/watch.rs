//! Following one order, for a page that waits for its payment.
//!
//! Followers ask once a second whether any order was placed or moved, which costs no query
//! ([`area::SALES`], which also tells of other servers' commits), and read their order only then.
//! What moves no order, such as a refused card, is found by a look every few seconds. So a follower
//! costs nothing while the shop is quiet, and one query a second at most while it is not.

use std::pin::Pin;
use std::task::{Context as Waker, Poll};
use std::time::Duration;

use futures_util::stream::{self, BoxStream, Stream, StreamExt};

use super::{Order, OrderPayment, OrderStatus, Orders, store};
use crate::account;
use crate::area;
use crate::clock::Timestamp;
use crate::context::Context;
use crate::error::{Entity, Error, Result};
use crate::id::{AccountId, OrderId};
use crate::storage::Tx;
use crate::value::Email;

/// How often to ask whether any order changed.
const TICK: Duration = Duration::from_secs(1);
/// After how many ticks to look at the order all the same: a card that is refused moves no order.
const LOOK: u32 = 2;
/// How long an order is followed.
const LIFETIME: Duration = Duration::from_secs(60 * 60);

/// How far an order is.
#[apply(answer!)]
pub struct OrderProgress {
    /// The order.
    pub id: OrderId,
    /// Its state.
    pub status: OrderStatus,
    /// How it is paid.
    pub payment: OrderPayment,
}

impl OrderProgress {
    /// Whether no further payment is waited for: the order is paid, cancelled or refunded.
    pub fn is_final(&self) -> bool {
        let paid = self.payment.status == crate::payment::PaymentStatus::Paid;
        paid || matches!(self.status, OrderStatus::Cancelled | OrderStatus::Refunded)
    }
}

impl From<Order> for OrderProgress {
    fn from(order: Order) -> Self {
        Self { id: order.id, status: order.status, payment: order.payment }
    }
}

/// How far an order is now, and after each change ([`Orders::watch`]). It ends once the order is
/// paid, cancelled or refunded, after an hour, and when the order is not the customer's any more,
/// the account is suspended, or its password or e-mail is another.
pub struct OrderWatch {
    states: BoxStream<'static, OrderProgress>,
}

opaque! { OrderWatch; }

impl Stream for OrderWatch {
    type Item = OrderProgress;

    fn poll_next(mut self: Pin<&mut Self>, waker: &mut Waker<'_>) -> Poll<Option<Self::Item>> {
        self.states.as_mut().poll_next(waker)
    }
}

impl Orders<'_> {
    /// Follows one of the customer's orders: a change is told within three seconds, also one that
    /// another server made. Only the latest state is told, so a slow reader costs no memory.
    ///
    /// # Errors
    /// [`Error::NotFound`] also for another customer's.
    ///
    /// Cancel safe: reads only.
    pub async fn watch(&self, customer: &AccountId, id: &OrderId) -> Result<OrderWatch> {
        let cx = self.cx.clone();
        let mut follower = Follower {
            until: cx.now().plus(LIFETIME),
            generation: cx.generations().of(area::SALES),
            cx,
            customer: customer.clone(),
            id: id.clone(),
            right: None,
            told: None,
            ended: false,
        };
        let first = follower.read().await?.ok_or(Error::NotFound(Entity::Order))?;
        follower.told(&first);
        let later = stream::unfold(follower, async |mut follower| {
            let next = follower.next().await?;
            Some((next, follower))
        });
        let states = stream::once(async { first }).chain(later);
        Ok(OrderWatch { states: states.boxed() })
    }
}

struct Follower {
    cx: Context,
    customer: AccountId,
    id: OrderId,
    until: Timestamp,
    /// Of [`area::SALES`], before the last look.
    generation: u64,
    /// What the right to see the order rests on: since when sessions of the account hold, and where
    /// links to the order were sent.
    right: Option<(i64, Email)>,
    told: Option<OrderProgress>,
    ended: bool,
}

impl Follower {
    /// The next state that differs from the one that was told last.
    async fn next(&mut self) -> Option<OrderProgress> {
        let mut unread = 0;
        while !self.ended {
            tokio::time::sleep(TICK).await;
            if self.cx.now() >= self.until {
                break;
            }
            // Read before the order, so that a change in between is looked at again.
            let generation = self.cx.generations().of(area::SALES);
            unread += 1;
            if generation == self.generation && unread < LOOK {
                continue;
            }
            match self.read().await {
                Ok(None) => break,
                Ok(Some(state)) => {
                    (self.generation, unread) = (generation, 0);
                    if self.told.as_ref() != Some(&state) {
                        self.told(&state);
                        return Some(state);
                    }
                }
                Err(error) => tracing::warn!(order = %self.id, %error, "cannot follow an order"),
            }
        }
        None
    }

    fn told(&mut self, state: &OrderProgress) {
        self.ended = state.is_final();
        self.told = Some(state.clone());
    }

    /// How far the order is; `None` once the right to see it has ended.
    async fn read(&mut self) -> Result<Option<OrderProgress>> {
        let (customer, id) = (self.customer.clone(), self.id.clone());
        let job = move |tx: &mut dyn Tx| {
            let known = account::by_id(tx, &customer)?.filter(|known| known.account.is_active);
            let Some(known) = known else { return Ok(None) };
            let right = (known.sessions_from, known.account.email);
            Ok(store::progress(tx, &customer, &id)?.map(|state| (right, state)))
        };
        let read = self.cx.db().lookup("order.watch", job).await?;
        let Some((right, state)) = read else { return Ok(None) };
        let holds = *self.right.get_or_insert_with(|| right.clone()) == right;
        Ok(holds.then_some(state))
    }
}
