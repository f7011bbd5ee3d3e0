//! What a provider is told of a parcel: whom it comes from and goes to, and what is in it.

use crate::account;
use crate::config::Config;
use crate::error::{Entity, Error, FieldErrors, Result};
use crate::fiscal::Buyer;
use crate::id::OrderId;
#[cfg(feature = "nfe")]
use crate::invoicing;
use crate::order::{self, Order};
use crate::shipment::{LabelItem, LabelRequest, Party, Shipment, ShipmentItem};
use crate::storage::Tx;
use crate::value::{Cpf, InvalidValue, Length, digits, without_punctuation};

/// What is asked of a provider for a shipment.
///
/// # Errors
/// [`Error::Invalid`] with what is missing of sender and recipient.
pub(super) fn of(tx: &mut dyn Tx, config: &Config, of: &Shipment) -> Result<LabelRequest> {
    let order = order::find(tx, &of.order_id)?.ok_or(Error::NotFound(Entity::Order))?;
    let (from, to) = parties(tx, config, &order)?;
    Ok(LabelRequest {
        shipment: of.id.clone(),
        reference: of.reference.clone(),
        order_number: of.order_number.clone(),
        service: of.service.clone(),
        from,
        to,
        items: of.items.iter().map(item).collect(),
        sides: [of.length, of.width, of.height].map(Length::whole_centimetres),
        grams: of.weight.grams().max(1),
        declared_value: of.declared_value,
        invoice_key: invoice_key(tx, &of.order_id)?,
    })
}

fn item(item: &ShipmentItem) -> LabelItem {
    LabelItem {
        name: item.name.clone(),
        quantity: item.quantity,
        unit_price: item.price,
        grams: item.weight.grams(),
    }
}

/// The key of the order's authorised invoice.
#[cfg(feature = "nfe")]
fn invoice_key(tx: &mut dyn Tx, order: &OrderId) -> Result<Option<String>> {
    invoicing::authorized_key(tx, order)
}

#[cfg(not(feature = "nfe"))]
#[expect(clippy::unnecessary_wraps, reason = "with the feature it can fail")]
fn invoice_key(_: &mut dyn Tx, _: &OrderId) -> Result<Option<String>> {
    Ok(None)
}

/// The sender of the settings, and the customer of an order.
///
/// # Errors
/// [`Error::Invalid`] with what is missing, as `sender.document`, `recipient.document`.
pub(super) fn parties(tx: &mut dyn Tx, config: &Config, order: &Order) -> Result<(Party, Party)> {
    let (from, to) = (sender(config), recipient(tx, order)?);
    let mut missing = FieldErrors::default();
    for (who, party) in [("sender", &from), ("recipient", &to)] {
        let needed = [
            ("name", &party.name),
            ("document", &party.document),
            ("street", &party.street),
            ("city", &party.city),
            ("state", &party.state),
            ("zipCode", &party.zip_code),
        ];
        for (field, _) in needed.into_iter().filter(|(_, text)| text.is_empty()) {
            missing.add(format!("{who}.{field}"), InvalidValue::Required);
        }
    }
    missing.into_result()?;
    Ok((from, to))
}

/// The sender of the settings: `shipping.sender`, else the company of the invoices.
fn sender(config: &Config) -> Party {
    let sender = &config.shipping.sender;
    #[cfg(feature = "nfe")]
    if sender.name.is_none()
        && config.nfe.company.name.is_some()
        && config.nfe.company.street.is_some()
        && let Ok(company) = config.nfe.company()
    {
        return of_company(config, company);
    }
    let text = |text: &Option<String>| text.clone().unwrap_or_default();
    let zip_code = sender.zip_code.as_ref().or(config.shipping.origin_cep.as_ref());
    Party {
        name: text(&sender.name),
        phone: phone(sender.phone.as_deref()),
        email: email(config),
        document: without_punctuation(sender.document.as_deref().unwrap_or_default()),
        state_registration: sender.state_registration.clone(),
        street: text(&sender.street),
        number: sender.number.clone().unwrap_or_else(|| "s/n".to_owned()),
        complement: sender.complement.clone(),
        district: text(&sender.district),
        city: text(&sender.city),
        state: sender.state.as_ref().map(ToString::to_string).unwrap_or_default(),
        zip_code: zip_code.map(ToString::to_string).unwrap_or_default(),
    }
}

#[cfg(feature = "nfe")]
fn of_company(config: &Config, company: crate::fiscal::Company) -> Party {
    let address = company.address;
    Party {
        name: company.trade_name.unwrap_or(company.name),
        phone: phone(company.phone.as_deref()),
        email: email(config),
        document: company.cnpj.as_str().to_owned(),
        state_registration: Some(company.state_registration),
        street: address.street,
        number: address.number,
        complement: address.complement,
        district: address.district,
        city: address.city.name.to_owned(),
        state: address.state.to_string(),
        zip_code: address.zip_code.to_string(),
    }
}

fn email(config: &Config) -> Option<String> {
    let own =
        config.shipping.sender.email.clone().or_else(|| config.shipping.contact_email.clone());
    own.or_else(|| Some(config.mail.from.email.to_string()))
}

/// A telephone's digits, where it has some.
fn phone(text: Option<&str>) -> Option<String> {
    text.map(digits).filter(|phone| !phone.is_empty())
}

/// Keeps the CPF of an order's buyer of whom no number is known.
pub(super) fn name_recipient(tx: &mut dyn Tx, order: &mut Order, cpf: &Cpf) -> Result<()> {
    if !recipient(tx, order)?.document.is_empty() {
        return Ok(());
    }
    let Buyer { name, company, .. } = order.buyer.take().unwrap_or_default();
    let name = match name {
        Some(name) => Some(name),
        None => account::name_of(tx, &order.user_id)?,
    };
    let buyer = Buyer::of(Some(cpf), &company).map(|buyer| Buyer { name, ..buyer });
    order::set_buyer(tx, &order.id, buyer.as_ref())?;
    order.buyer = buyer;
    Ok(())
}

fn recipient(tx: &mut dyn Tx, order: &Order) -> Result<Party> {
    let account = account::get(tx, &order.user_id)?.ok_or(Error::NotFound(Entity::Account))?;
    let buyer = order.buyer.clone().or_else(|| account.buyer()).unwrap_or_default();
    let cnpj = buyer.company.cnpj.as_ref().map(ToString::to_string);
    let cpf = buyer.cpf.or_else(|| account.cpf.clone()).map(|cpf| cpf.to_string());
    let address = &order.address;
    Ok(Party {
        name: account.name,
        phone: phone(account.phone.as_deref()),
        email: Some(account.email.to_string()),
        document: cnpj.or(cpf).unwrap_or_default(),
        state_registration: buyer.company.state_registration.map(|it| it.to_string()),
        street: address.street.clone(),
        number: address.number.clone(),
        complement: address.complement.clone(),
        district: address.district.clone(),
        city: address.city.clone(),
        state: address.state.to_string(),
        zip_code: address.zip_code.to_string(),
    })
}
