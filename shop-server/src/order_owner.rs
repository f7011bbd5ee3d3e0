//! The customer of an order as a caller: by a session, or by the link in a mail about the order,
//! which opens that one order and nothing else.

use std::sync::Arc;

use hyper::http::request::Parts;
use serde::Deserialize;
use shop_core::account::Account;
use shop_core::error::{Credential, Entity, Error};
use shop_core::id::{AccountId, OrderId};
use shop_core::order::{LinkedOrder, OrderToken};
use shop_core::{Result, Shop};

use crate::app::{App, Head};
use crate::caller::{Access, Caller, account};
use crate::card_attempt::CardAttempt;
use crate::rate_limit::Client;
use crate::reply::Failure;

/// The header that a link's token comes in.
pub(crate) const ORDER_TOKEN: &str = "x-order-token";

/// A session of any role, a link to one order, or both.
pub(crate) struct OrderOwner {
    link: Option<LinkedOrder>,
    session: Option<Account>,
}

/// An owner of orders who may have another card refused.
pub(crate) struct CardPayer {
    pub(crate) owner: OrderOwner,
    pub(crate) attempt: CardAttempt,
}

/// An order that the caller may see and change as its customer.
pub(crate) struct OwnOrder {
    pub(crate) customer: AccountId,
    pub(crate) id: OrderId,
}

impl Caller for OrderOwner {
    const ACCESS: Access = Access::Order;

    /// A link that does not hold counts for nothing, as long as a session does.
    async fn identify(app: &Arc<App>, head: &Head) -> Result<Self, Failure> {
        let token = order_token(&head.parts);
        let link = match &token {
            None => None,
            Some(token) => match app.shop.orders().open_link(token).await {
                Ok(link) => Some(link),
                Err(Error::Unauthenticated(_)) => None,
                Err(other) => return Err(other.into()),
            },
        };
        match account(app, head).await {
            Ok(session) => Ok(Self { link, session: Some(session) }),
            Err(Error::Unauthenticated(_) | Error::Refused(_)) if link.is_some() => {
                Ok(Self { link, session: None })
            }
            Err(Error::Unauthenticated(_)) if token.is_some() => {
                Err(Error::Unauthenticated(Credential::OrderLink).into())
            }
            Err(other) => Err(other.into()),
        }
    }
}

impl OrderOwner {
    /// The order that a path or a body names by its id or its number, if it is the caller's.
    ///
    /// # Errors
    /// [`Entity::Order`] also for another customer's.
    pub(crate) async fn order(&self, shop: &Shop, named: &OrderId) -> Result<OwnOrder> {
        if let Some(link) = &self.link
            && let Some(id) = find(shop, &link.customer, named).await?
            && id == link.id
        {
            return Ok(OwnOrder { customer: link.customer.clone(), id });
        }
        let session = self.session.as_ref().ok_or(Error::NotFound(Entity::Order))?;
        let id = find(shop, &session.id, named).await?.ok_or(Error::NotFound(Entity::Order))?;
        Ok(OwnOrder { customer: session.id.clone(), id })
    }
}

impl Caller for CardPayer {
    const ACCESS: Access = Access::Order;

    async fn identify(app: &Arc<App>, head: &Head) -> Result<Self, Failure> {
        let owner = OrderOwner::identify(app, head).await?;
        let session = owner.session.as_ref().map(|account| account.id.as_str());
        let payer = session.or(owner.link.as_ref().map(|link| link.customer.as_str()));
        let payer = Client::Account(payer.unwrap_or_default().into());
        let attempt = CardAttempt::begin(app, payer, Client::Network(head.client))?;
        Ok(Self { owner, attempt })
    }
}

async fn find(shop: &Shop, customer: &AccountId, named: &OrderId) -> Result<Option<OrderId>> {
    match shop.orders().id_for_customer(customer, named.as_str()).await {
        Ok(id) => Ok(Some(id)),
        Err(Error::NotFound(_)) => Ok(None),
        Err(other) => Err(other),
    }
}

/// The token of a link, from its header, else from the query: browsers' streams of events can send
/// no header.
fn order_token(parts: &Parts) -> Option<OrderToken> {
    #[derive(Deserialize)]
    struct Sent {
        t: Option<String>,
    }
    if let Some(header) = parts.headers.get(ORDER_TOKEN) {
        return header.to_str().ok().map(OrderToken::from);
    }
    let query = parts.uri.query()?;
    let sent = serde_urlencoded::from_str::<Sent>(query).ok()?;
    sent.t.filter(|token| !token.is_empty()).map(|token| OrderToken::from(token.as_str()))
}
