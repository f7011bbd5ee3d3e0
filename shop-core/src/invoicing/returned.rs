//! Invoices of goods that come back: what is asked, and what is answered.

use serde::Serialize;

use super::store::{self, StoredInvoice};
use super::terms::Terms;
use super::{AuthorizedXml, Invoices, IssuedInvoice, Target, WithdrawInvoice, return_note};
use crate::actor::Actor;
use crate::detached;
use crate::error::{Entity, Error, Result};
use crate::id::{InvoiceId, OrderId, OrderItemId, ProductId, ReturnId, VariantId};
use crate::idempotency::{IdempotencyKey, IdempotentRequest};
use crate::lane;
use crate::money::Money;
use crate::nfe::ReturnGround;
use crate::order;
use crate::storage::Tx;
use crate::value::{Quantity, Text};

/// Goods of an order that come back, for which an invoice is issued.
#[apply(input!)]
#[derive(Default, Serialize)]
pub struct ReturnGoods {
    /// The customer's return that the goods came back with: the invoice has its units, and comes to
    /// what the return does.
    pub return_id: Option<ReturnId>,
    /// The units; where it is left out, all that no invoice of a return has yet, of the return or
    /// of the order.
    pub items: Option<Vec<ReturnGoodsItem>>,
    /// By which right; a withdrawal where it is left out. Not with `returnId`: the return says it.
    pub ground: Option<ReturnGround>,
    /// Why, in the shop's words, for the invoice.
    pub reason: Option<Text<1, 500>>,
    /// Whether the freight goes back too: its share for a part of the goods, and what is left of it
    /// with the last of them. Where it is left out, only with a return of the whole order at once.
    /// Not with `returnId`: the return says it.
    pub refund_shipping: Option<bool>,
}

/// Units of an order's item that come back.
#[apply(input!)]
#[derive(Serialize)]
pub struct ReturnGoodsItem {
    /// The item.
    pub order_item_id: OrderItemId,
    /// Units.
    pub quantity: Quantity,
}

/// An invoice of goods that came back. It moves neither stock nor money: `items` are the units that
/// may be put back on the shelf, `valor` is what may be given back for them.
#[apply(answer!)]
pub struct IssuedReturn {
    /// The invoice.
    #[serde(flatten)]
    pub invoice: IssuedInvoice,
    /// The invoice of the sale.
    pub sale_invoice_id: InvoiceId,
    /// The customer's return that it belongs to, where one is kept.
    pub return_id: Option<ReturnId>,
    /// By which right the goods came back.
    pub ground: ReturnGround,
    /// Why, in the shop's words.
    pub reason: Option<String>,
    /// The units that came back.
    pub items: Vec<IssuedReturnItem>,
    /// What of the sale's freight is in `valor`.
    pub shipping: Money,
}

/// Units on an invoice of a return.
#[apply(answer!)]
pub struct IssuedReturnItem {
    /// The order's item.
    pub order_item_id: OrderItemId,
    /// The product.
    pub product_id: ProductId,
    /// The variant, if one was bought.
    pub variant_id: Option<VariantId>,
    /// What it was called when it was bought.
    pub name: String,
    /// Units.
    pub quantity: i64,
    /// What of the item's discount belongs to them.
    pub discount: Money,
    /// Their price less the discount.
    pub total: Money,
}

impl ReturnGoodsItem {
    /// So many units of an order's item.
    pub fn new(order_item_id: OrderItemId, quantity: Quantity) -> Self {
        Self { order_item_id, quantity }
    }
}

impl Invoices<'_> {
    /// Issues the invoice of goods that come back, as an entry of the shop's own: a consumer issues
    /// none. Stock and money do not move by it. That of a customer's return has no units but the
    /// return's: those that arrived, or that are to come. With a key, a repeat goes on with the
    /// same invoice, also after a rejection, when it is made anew with the same number. So does,
    /// without a key, one of a customer's return whose units all have an invoice, with the latest
    /// of them.
    ///
    /// # Errors
    /// [`Entity::Order`]; [`Entity::Invoice`] when the sale has no authorised one;
    /// [`Error::Invalid`] for units that were not sold, are not the return's or are on such an
    /// invoice already; [`Entity::Return`];
    /// [`Conflict::ReturnState`](crate::error::Conflict::ReturnState) for a return that was not
    /// accepted; [`Refusal::NothingToReturn`](crate::error::Refusal::NothingToReturn); those of
    /// [`Invoices::emit`] about the tax office.
    ///
    /// Dropping the future does not stop it: the call to the provider and its booking run to their
    /// end.
    pub async fn issue_return(
        &self,
        by: &Actor,
        order: &OrderId,
        goods: ReturnGoods,
        key: Option<IdempotencyKey>,
    ) -> Result<IssuedReturn> {
        let request = IdempotentRequest::by(key, by, "nfe.return", &(order, &goods))?;
        let (terms, at) = (Terms::of(*self), self.cx.work());
        let (invoicing, by, order) = (self.owned(), by.clone(), order.clone());
        let work = async move {
            let invoices = Invoices::new(&invoicing);
            let job = move |tx: &mut dyn Tx| {
                return_note::begin(tx, &at, &terms, &by, (&order, &goods, &request))
            };
            let begun = invoices.cx.db().write(lane::INTEGRATIONS, "nfe.begin_return", job).await?;
            let invoice = invoices.go_on(begun).await?;
            invoices.get_return(&invoice.id).await
        };
        detached::to_its_end(work).await
    }

    /// Goes on with a return's invoice that is not authorised yet: asks what became of it, or makes
    /// it anew after a rejection, with the same number. An authorised one is answered as it is.
    ///
    /// # Errors
    /// [`Entity::Invoice`] also when its number is used up; those of [`Invoices::issue_return`].
    ///
    /// Dropping the future does not stop it: the call to the provider and its booking run to their
    /// end.
    pub async fn retry_return(&self, id: &InvoiceId) -> Result<IssuedReturn> {
        let (terms, at) = (Terms::of(*self), self.cx.work());
        let (invoicing, id) = (self.owned(), id.clone());
        let work = async move {
            let invoices = Invoices::new(&invoicing);
            let job = move |tx: &mut dyn Tx| {
                let stored = store::get_return(tx, terms.scope(), &id)?;
                if !stored.invoice.status.is_live() {
                    return Err(Error::NotFound(Entity::Invoice));
                }
                return_note::resume(tx, &terms, stored, at.now())
            };
            let begun = invoices.cx.db().write(lane::INTEGRATIONS, "nfe.retry_return", job).await?;
            let invoice = invoices.go_on(begun).await?;
            invoices.get_return(&invoice.id).await
        };
        detached::to_its_end(work).await
    }

    /// The invoices of an order's returns, the latest first; no more than 200.
    ///
    /// # Errors
    /// [`Entity::Order`].
    ///
    /// Cancel safe: reads only.
    pub async fn list_returns(&self, order: &OrderId) -> Result<Vec<IssuedReturn>> {
        let (order, scope) = (order.clone(), self.setup.scope);
        let job = move |tx: &mut dyn Tx| {
            let order = order::find(tx, &order)?.ok_or(Error::NotFound(Entity::Order))?;
            let found = store::returns_of_order(tx, scope, &order.id)?;
            found.into_iter().map(|stored| shown(tx, &order, stored)).collect()
        };
        self.cx.db().read("nfe.returns", job).await
    }

    /// An invoice of a return.
    ///
    /// # Errors
    /// [`Entity::Invoice`].
    ///
    /// Cancel safe: reads only.
    pub async fn get_return(&self, id: &InvoiceId) -> Result<IssuedReturn> {
        let (id, scope) = (id.clone(), self.setup.scope);
        let job = move |tx: &mut dyn Tx| {
            let stored = store::get_return(tx, scope, &id)?;
            let order = order::find(tx, &stored.invoice.order_id)?;
            let order = order.ok_or(Error::NotFound(Entity::Order))?;
            shown(tx, &order, stored)
        };
        self.cx.db().read("nfe.return", job).await
    }

    /// The authorised document of a return's invoice (`nfeProc`), also when it was cancelled since.
    ///
    /// # Errors
    /// [`Entity::Invoice`] when it was not authorised.
    ///
    /// Cancel safe: reads only.
    pub async fn get_return_xml(&self, id: &InvoiceId) -> Result<AuthorizedXml> {
        let (id, scope) = (id.clone(), self.setup.scope);
        let found = move |tx: &mut dyn Tx| store::return_xml(tx, scope, &id);
        let xml = self.cx.db().read("nfe.return_xml", found).await?;
        xml.ok_or(Error::NotFound(Entity::Invoice))
    }

    /// A return's authorised invoice on paper: the DANFE, as a PDF. A cancelled one says so.
    ///
    /// # Errors
    /// [`Entity::Invoice`] when it was not authorised; [`Error::Internal`] when it cannot be drawn.
    ///
    /// Cancel safe: reads only.
    pub async fn render_return_danfe(&self, id: &InvoiceId) -> Result<Vec<u8>> {
        self.draw(self.get_return_xml(id).await?).await
    }

    /// Cancels a return's authorised invoice: its units can come back by another one. A repeat
    /// answers with the same cancelled invoice.
    ///
    /// # Errors
    /// [`Entity::Invoice`] when it is not authorised; those of [`Invoices::cancel`] about the tax
    /// office.
    ///
    /// Dropping the future does not stop it: the call to the provider and its booking run to their
    /// end.
    pub async fn cancel_return(
        &self,
        by: &Actor,
        id: &InvoiceId,
        why: WithdrawInvoice,
    ) -> Result<IssuedInvoice> {
        self.cancel_target(by, Target::Return(id.clone()), why).await
    }

    /// Makes the number of a return's unfinished invoice invalid, for good: its units can come back
    /// by another one.
    ///
    /// # Errors
    /// [`Entity::Invoice`]; those of [`Invoices::disable_number`].
    ///
    /// Dropping the future does not stop it: the call to the provider and its booking run to their
    /// end.
    pub async fn disable_return_number(
        &self,
        by: &Actor,
        id: &InvoiceId,
        why: WithdrawInvoice,
    ) -> Result<IssuedInvoice> {
        self.disable_target(by, Target::Return(id.clone()), why).await
    }
}

fn shown(tx: &mut dyn Tx, order: &order::Order, stored: StoredInvoice) -> Result<IssuedReturn> {
    let note = store::return_of(tx, &stored.invoice.id)?;
    let items = order.items.iter().filter_map(|item| {
        let (_, units) = note.items.iter().find(|(id, _)| *id == item.id)?;
        Some(IssuedReturnItem {
            order_item_id: item.id.clone(),
            product_id: item.product_id.clone(),
            variant_id: item.variant_id.clone(),
            name: item.product_name_snapshot.clone(),
            quantity: units.quantity,
            discount: units.discount,
            total: item.price * units.quantity - units.discount,
        })
    });
    Ok(IssuedReturn {
        invoice: stored.invoice,
        sale_invoice_id: note.sale,
        return_id: note.return_id,
        ground: note.ground,
        reason: note.reason,
        items: items.collect(),
        shipping: note.shipping,
    })
}
