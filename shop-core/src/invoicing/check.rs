//! Tells what the tax office would refuse, before anything is issued.

use super::compose::{self, Destination, FiscalData, Numbering};
use super::issuer_setup::TEST_CPF;
use super::terms::Terms;
use super::units;
use super::{EmitInvoice, Invoices};
use crate::catalog::{self, Sellable};
use crate::clock::Timestamp;
use crate::error::{Entity, Error, Result};
use crate::fiscal::City;
use crate::id::{OrderId, OrderItemId, ProductId};
use crate::money::Money;
use crate::nfe::rules::{self, Reception, Violation};
use crate::nfe::{
    FiscalAddress, Invoice, PaymentMeans, Recipient, RecipientId, Responsible, TaxEnvironment,
};
use crate::order::{self, OrderItem, OrderProduct};
use crate::storage::Tx;

/// How many products one transaction looks at.
const PAGE: i64 = 200;

/// Something that stands in the way of an invoice.
#[apply(answer!)]
pub struct InvoiceProblem {
    /// The tax office's code (`cStat`), where a rule of the office is broken.
    pub code: Option<u16>,
    /// The office's words, or what the shop has to say.
    pub text: String,
    /// Where the rule is written down.
    pub source: Option<String>,
    /// The field that is missing or wrong.
    pub field: Option<String>,
}

/// What stands in the way of an order's invoice.
#[apply(answer!)]
pub struct InvoiceCheck {
    /// The order.
    pub order_id: OrderId,
    /// The order's number, as people know it.
    pub order_number: String,
    /// Each thing; none where the invoice would be authorised, as far as a document shows it.
    pub problems: Vec<InvoiceProblem>,
}

/// What stands in the way of a product's invoices.
#[apply(answer!)]
pub struct ProductCheck {
    /// The product.
    pub product_id: ProductId,
    /// What it is called.
    pub name: String,
    /// Whether the sale that was looked at is one to another state.
    pub interstate: bool,
    /// Each thing.
    pub problems: Vec<InvoiceProblem>,
}

impl Invoices<'_> {
    /// What the tax office would refuse of an order's invoice, made as it would be now. Nothing is
    /// issued, and no number taken.
    ///
    /// # Errors
    /// [`Entity::Order`]; [`Refusal::OrderNotPaid`](crate::error::Refusal::OrderNotPaid) and
    /// [`Refusal::OrderWithdrawn`](crate::error::Refusal::OrderWithdrawn).
    ///
    /// Cancel safe: reads only.
    pub async fn check_order(
        &self,
        order: &OrderId,
        buyer: impl Into<EmitInvoice>,
    ) -> Result<InvoiceCheck> {
        let buyer = buyer.into().buyer()?;
        let (terms, order, now) = (Terms::of(*self), order.clone(), self.cx.now());
        let job = move |tx: &mut dyn Tx| {
            let order = order::find(tx, &order)?.ok_or(Error::NotFound(Entity::Order))?;
            let numbering = Numbering::sample(terms.config.series);
            let order = units::invoiced(tx, &order)?;
            let invoice = compose::invoice(tx, &terms, &order, buyer.as_ref(), numbering, now);
            let problems = problems(&terms, invoice, now)?;
            Ok(InvoiceCheck { order_id: order.id, order_number: order.order_number, problems })
        };
        self.cx.db().read("nfe.check_order", job).await
    }

    /// What the tax office would refuse of invoices of the products on sale: of each, one unit sold
    /// to a consumer in the state, and one to another state.
    ///
    /// Cancel safe: reads only.
    pub async fn check_products(&self) -> Result<Vec<ProductCheck>> {
        let (terms, now) = (Terms::of(*self), self.cx.now());
        let (mut found, mut after) = (Vec::new(), ProductId::from(""));
        loop {
            let (terms, from) = (terms.clone(), after.clone());
            let page = move |tx: &mut dyn Tx| page(tx, &terms, &from, now);
            let (checked, last) = self.cx.db().read("nfe.check_products", page).await?;
            found.extend(checked);
            match last {
                Some(last) => after = last,
                None => return Ok(found),
            }
        }
    }
}

/// What stands in the way of the next products behind one, and the last of them.
fn page(
    tx: &mut dyn Tx,
    terms: &Terms,
    after: &ProductId,
    now: Timestamp,
) -> Result<(Vec<ProductCheck>, Option<ProductId>)> {
    let products = catalog::sellable_after(tx, after, PAGE)?;
    let last = products.last().map(|(id, _)| id.clone());
    let units: Vec<OrderItem> =
        products.into_iter().map(|(id, product)| unit(id, product)).collect();
    let data = FiscalData::of(tx, &units)?;
    let mut found = Vec::new();
    for unit in &units {
        for interstate in [false, true] {
            let problems = problems(terms, of_unit(terms, &data, unit, interstate, now), now)?;
            if !problems.is_empty() {
                let (product_id, name) = (unit.product_id.clone(), unit.product.name.clone());
                found.push(ProductCheck { product_id, name, interstate, problems });
            }
        }
    }
    Ok((found, last))
}

/// What stands in the way of an invoice that could, or could not, be made.
fn problems(
    terms: &Terms,
    invoice: Result<Invoice>,
    now: Timestamp,
) -> Result<Vec<InvoiceProblem>> {
    match invoice.and_then(|invoice| invoice.unsigned()) {
        Ok(nfe) => {
            let csrt = Responsible::of(&terms.config.responsible).and_then(|it| it.csrt);
            let broken = rules::violations(&nfe, &Reception { at: now, csrt });
            Ok(broken.into_iter().map(InvoiceProblem::from).collect())
        }
        Err(Error::Invalid(wrong)) => {
            let fields = wrong.field_errors.into_keys().map(Some);
            let form = wrong.form_errors.into_iter().map(|_| None);
            Ok(fields.chain(form).map(InvoiceProblem::of_field).collect())
        }
        Err(error) => Err(error),
    }
}

/// One unit of a product, as an order would have it.
fn unit(product_id: ProductId, product: Sellable) -> OrderItem {
    OrderItem {
        id: OrderItemId::from("-"),
        product_id,
        variant_id: None,
        quantity: 1,
        price: product.price,
        total: product.price,
        product_name_snapshot: product.name.clone(),
        variant_snapshot: None,
        product: OrderProduct { name: product.name, images: Vec::new() },
    }
}

/// The invoice of one unit, sold to a consumer.
fn of_unit(
    terms: &Terms,
    data: &FiscalData,
    unit: &OrderItem,
    interstate: bool,
    now: Timestamp,
) -> Result<Invoice> {
    let company = terms.setup.company.clone();
    let to = Destination { in_state: !interstate, contributes: false };
    let invoice = Invoice {
        environment: TaxEnvironment::Homologation,
        series: terms.config.series,
        number: 1,
        code: 10_203_040,
        issued_at: now,
        recipient: consumer(&company.address, interstate)?,
        company,
        lines: vec![compose::line(unit, 0, data.code(unit), data.fiscal(unit, terms), to)?],
        freight: Money::ZERO,
        discount: Money::ZERO,
        parcels: 1,
        weight_grams: 0,
        means: PaymentMeans::Pix,
        order_number: "-".to_owned(),
        tax_share: None,
        ibs_cbs: compose::ibs_cbs(terms, now),
        responsible: Responsible::of(&terms.config.responsible),
    };
    invoice.check()?;
    Ok(invoice)
}

/// A consumer where the shop is, or in another state.
fn consumer(shop: &FiscalAddress, interstate: bool) -> Result<Recipient> {
    let mut address = shop.clone();
    if interstate {
        let (city, state) =
            if shop.state.as_str() == "SP" { ("3304557", "RJ") } else { ("3550308", "SP") };
        address.city = City::of_code(city).ok_or_else(|| Error::internal("an unknown city"))?;
        address.state = state.parse().map_err(Error::from_source)?;
    }
    let id = RecipientId::Person(TEST_CPF.parse().map_err(Error::from_source)?);
    Ok(Recipient { id, name: "Consumidor".to_owned(), address, email: None, phone: None })
}

impl From<Violation> for InvoiceProblem {
    fn from(broken: Violation) -> Self {
        let Violation { code, text, source } = broken;
        Self { code: Some(code), text, source: Some(source), field: None }
    }
}

impl InvoiceProblem {
    /// A field that keeps the invoice from being made.
    fn of_field(field: Option<String>) -> Self {
        let text = match &field {
            Some(field) => format!("Falta ou não serve: {field}"),
            None => "A nota não pode ser montada com estes dados".to_owned(),
        };
        Self { code: None, text, source: None, field }
    }
}
