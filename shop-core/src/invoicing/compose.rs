//! Makes the invoice of an order from what the shop knows.

use std::collections::HashMap;

use super::parcels;
use super::terms::Terms;
use crate::account::{self, Account};
use crate::catalog::{self, EffectiveFiscal, ProductFiscal};
use crate::clock::Timestamp;
use crate::config::ReformRates;
use crate::error::{Entity, Error, Refusal, Result};
use crate::fiscal::{Buyer, City, Csosn, Digits};
use crate::id::{ProductId, VariantId};
use crate::money::Money;
use crate::nfe::document::MAX_ITEM_NAME;
use crate::nfe::text::fit;
use crate::nfe::{
    Fiscal, FiscalAddress, IbsCbs, Invoice, Line, PaymentMeans, Recipient, RecipientId, Responsible,
};
use crate::order::{self, Order, OrderAddress, OrderItem};
use crate::payment::PaymentMethod;
use crate::storage::Tx;
use crate::value::InvalidValue;

/// The number that an invoice has, and the random part of its key.
#[derive(Debug, Clone, Copy)]
pub(super) struct Numbering {
    pub(super) series: u16,
    pub(super) number: u32,
    pub(super) code: u32,
}

impl Numbering {
    /// A number for an invoice that is made to be looked at and is never issued.
    pub(super) fn sample(series: u16) -> Self {
        Self { series, number: 1, code: 10_203_040 }
    }
}

/// How a paid order was paid.
///
/// # Errors
/// [`Refusal::OrderNotPaid`] also for one that was cancelled or refunded since.
pub(super) fn paid_by(order: &Order) -> Result<PaymentMeans> {
    let under_way = order.status.is_revenue();
    if !under_way || !order.is_paid() {
        return Err(Error::Refused(Refusal::OrderNotPaid));
    }
    Ok(match order.payment.method {
        None => PaymentMeans::Nothing,
        Some(PaymentMethod::Pix) => PaymentMeans::Pix,
        Some(PaymentMethod::CreditCard | PaymentMethod::PaymentIntent) => PaymentMeans::Card,
        Some(PaymentMethod::Cash) => PaymentMeans::Cash,
        Some(PaymentMethod::Transfer) => PaymentMeans::Transfer,
        Some(PaymentMethod::Other) => PaymentMeans::Other,
    })
}

/// The invoice of an order without its withdrawn units
/// ([`units::invoiced`](super::units::invoiced)), checked.
///
/// # Errors
/// [`Refusal::OrderNotPaid`]; [`Error::Invalid`] names what is missing.
pub(super) fn invoice(
    tx: &mut dyn Tx,
    terms: &Terms,
    order: &Order,
    buyer: Option<&Buyer>,
    numbering: Numbering,
    now: Timestamp,
) -> Result<Invoice> {
    let means = paid_by(order)?;
    let company = terms.setup.company.clone();
    let account = account::get(tx, &order.user_id)?.ok_or(Error::NotFound(Entity::Account))?;
    let recipient = recipient(terms, account, buyer, order)?;
    let in_state = company.address.state == recipient.address.state;
    let contributes = recipient.id.state_registration().is_some();
    let lines = lines(tx, order, terms, Destination { in_state, contributes })?;
    let invoice = Invoice {
        environment: terms.scope().environment(),
        series: numbering.series,
        number: numbering.number,
        code: numbering.code,
        issued_at: now,
        company,
        recipient,
        lines,
        freight: order.shipping,
        discount: order.discount,
        parcels: parcels::of(tx, order)?,
        weight_grams: order::weight_grams(tx, order)?,
        means,
        order_number: order.order_number.clone(),
        ibs_cbs: ibs_cbs(terms, now),
        responsible: Responsible::of(&terms.config.responsible),
        tax_share: terms.config.tax_share_percent,
    };
    invoice.check()?;
    if invoice.total() != order.total {
        // The books must never say something else than what was paid.
        return Err(Error::internal("the invoice does not come to what the order does"));
    }
    Ok(invoice)
}

/// The taxes of the reform, where the settings have rates for the day.
pub(super) fn ibs_cbs(terms: &Terms, now: Timestamp) -> Option<IbsCbs> {
    let ReformRates { ibs_state, ibs_city, cbs, .. } = terms.config.ibs_cbs.on(now.local_day())?;
    Some(IbsCbs { ibs_state, ibs_city, cbs })
}

/// Who an invoice is for: the request's buyer, else the order's, else the account's of now.
fn recipient(
    terms: &Terms,
    account: Account,
    asked: Option<&Buyer>,
    order: &Order,
) -> Result<Recipient> {
    let buyer = asked.or(order.buyer.as_ref()).cloned().or_else(|| account.buyer());
    let company = buyer.as_ref().map(|buyer| buyer.company.clone()).unwrap_or_default();
    let Buyer { name: called, cpf, .. } = buyer.unwrap_or_default();
    let id = if let Some(cnpj) = company.cnpj {
        let (state_registration, buys_to_resell) =
            (company.state_registration, company.buys_to_resell);
        RecipientId::Company { cnpj, state_registration, buys_to_resell }
    } else {
        let cpf = cpf.or_else(|| terms.setup.test_cpf());
        let needed = || Error::field("cpf", InvalidValue::CustomerCpf);
        RecipientId::Person(cpf.ok_or_else(needed)?)
    };
    let OrderAddress { street, number, complement, district, city, state, zip_code } =
        order.address.clone();
    let city = City::of_address(&state, &city, &zip_code)
        .ok_or_else(|| Error::field("address.city", InvalidValue::UnknownCity))?;
    let address = FiscalAddress { street, number, complement, district, city, state, zip_code };
    let Account { name, email, phone, .. } = account;
    let name = company.company_name.or(called).unwrap_or(name);
    Ok(Recipient { id, name, address, email: Some(email.to_string()), phone })
}

/// Where goods go.
#[derive(Clone, Copy)]
pub(super) struct Destination {
    pub(super) in_state: bool,
    /// The buyer pays the tax on goods.
    pub(super) contributes: bool,
}

impl Destination {
    /// The code of operation of a sale. 6107 and 6108 are for buyers who do not pay the tax on
    /// goods; for the others there are 6101 and 6102.
    fn cfop(self, fiscal: &EffectiveFiscal) -> Digits<4> {
        let said = if self.in_state { &fiscal.cfop_in_state } else { &fiscal.cfop_out_of_state };
        match (self.contributes, said.value.as_str()) {
            (true, "6107") => Digits::known("6101"),
            (true, "6108") => Digits::known("6102"),
            _ => said.value.clone(),
        }
    }
}

/// The lines of an invoice: what the order says of each item, and what the tax office wants to know
/// of its product.
fn lines(tx: &mut dyn Tx, order: &Order, terms: &Terms, to: Destination) -> Result<Vec<Line>> {
    let data = FiscalData::of(tx, &order.items)?;
    let line = |(place, item): (usize, &OrderItem)| {
        line(item, place, data.code(item), data.fiscal(item, terms), to)
    };
    order.items.iter().enumerate().map(line).collect()
}

/// The fiscal data and article numbers of the products of some items, read by the same three
/// statements however many there are.
pub(super) struct FiscalData {
    own: HashMap<ProductId, ProductFiscal>,
    of_category: HashMap<ProductId, ProductFiscal>,
    /// By the ids of products and variants.
    skus: HashMap<String, String>,
}

impl FiscalData {
    pub(super) fn of(tx: &mut dyn Tx, items: &[OrderItem]) -> Result<Self> {
        let products: Vec<ProductId> = items.iter().map(|item| item.product_id.clone()).collect();
        let variants = items.iter().filter_map(|item| item.variant_id.as_ref());
        let ids: Vec<String> = products
            .iter()
            .map(ToString::to_string)
            .chain(variants.map(ToString::to_string))
            .collect();
        Ok(Self {
            own: catalog::fiscal_of_products(tx, &products)?,
            of_category: catalog::fiscal_fallbacks(tx, &products)?,
            skus: catalog::skus_of(tx, &ids)?,
        })
    }

    /// What holds for an item.
    pub(super) fn fiscal(&self, item: &OrderItem, terms: &Terms) -> EffectiveFiscal {
        let silent = ProductFiscal::default();
        let own = self.own.get(&item.product_id).unwrap_or(&silent);
        let of_category = self.of_category.get(&item.product_id).unwrap_or(&silent);
        EffectiveFiscal::of(own, of_category, &terms.config)
    }

    /// What an invoice calls an item: the variant's SKU, else the product's, else the product's id.
    pub(super) fn code(&self, item: &OrderItem) -> String {
        let product = item.product_id.as_str();
        let variant = item.variant_id.as_ref().map(VariantId::as_str);
        let mut ids = variant.into_iter().chain([product]);
        ids.find_map(|id| self.skus.get(id)).cloned().unwrap_or_else(|| product.to_owned())
    }
}

/// A line of an invoice.
///
/// # Errors
/// [`Error::Invalid`] names a product whose place in the nomenclature nothing says.
pub(super) fn line(
    item: &OrderItem,
    place: usize,
    code: String,
    fiscal: EffectiveFiscal,
    to: Destination,
) -> Result<Line> {
    let cfop = to.cfop(&fiscal);
    let ncm = fiscal.ncm.ok_or_else(|| {
        let product = item.product_name_snapshot.clone();
        Error::field(format!("items[{place}].ncm"), InvalidValue::NcmRequired { product })
    })?;
    if fiscal.csosn.value == Csosn::Other && !to.contributes {
        // Rejection 600.
        let what = InvalidValue::CsosnOfContributors;
        return Err(Error::field(format!("items[{place}].csosn"), what));
    }
    Ok(Line {
        code,
        name: line_name(item),
        quantity: item.quantity,
        price: item.price,
        cfop,
        fiscal: Fiscal {
            ncm: ncm.value,
            cest: fiscal.cest.map(|cest| cest.value),
            // The bar code is the product's; its variants have others.
            gtin: fiscal.gtin.map(|gtin| gtin.value).filter(|_| item.variant_id.is_none()),
            origin: fiscal.origin.value,
            csosn: fiscal.csosn.value,
            unit: fiscal.unit.value,
        },
    })
}

/// What an invoice calls an item. A long name is shortened before its variant, which tells lines
/// apart.
fn line_name(item: &OrderItem) -> String {
    let product = &item.product_name_snapshot;
    let Some(variant) = &item.variant_snapshot else { return product.clone() };
    let variant = fit(variant, MAX_ITEM_NAME - 30);
    let product = fit(product, MAX_ITEM_NAME - " - ".len() - variant.chars().count());
    format!("{product} - {variant}")
}

impl Invoice {
    /// What it comes to.
    pub fn total(&self) -> Money {
        self.gross().into_iter().sum::<Money>() - self.discount + self.freight
    }
}
