//! What is printed of an order.

use crate::account;
use crate::clock::Timestamp;
use crate::config::Config;
use crate::error::{Entity, Error, Result};
use crate::fiscal::Company;
use crate::id::OrderId;
use crate::money::Money;
use crate::order::{self, Order, OrderItem, OrderStatus};
use crate::pdf::write::{self, printable};
use crate::shipping::packing::{self, PackedItem, PackedParcel};
use crate::storage::Tx;
use crate::value::{Length, Weight, digits, without_punctuation};

/// A sender or a recipient.
#[derive(Debug, Clone, Default)]
pub(super) struct Party {
    pub(super) name: String,
    /// CPF or CNPJ with its punctuation; empty where it is not known.
    pub(super) document: String,
    /// Street, house number and complement.
    pub(super) street: String,
    pub(super) district: String,
    pub(super) city: String,
    pub(super) state: String,
    /// Digits.
    pub(super) zip_code: String,
    pub(super) phone: String,
}

/// An order, ready to be printed.
#[derive(Debug)]
pub(super) struct Sheet {
    pub(super) number: String,
    pub(super) placed_at: Timestamp,
    /// How it is sent, e.g. "Correios PAC"; may be empty.
    pub(super) service: String,
    /// What the customer wrote; may be empty.
    pub(super) notes: String,
    pub(super) sender: Party,
    pub(super) recipient: Party,
    pub(super) parcels: Vec<Parcel>,
}

/// A parcel with what is in it.
#[derive(Debug)]
pub(super) struct Parcel {
    /// The name of its box; may be empty.
    pub(super) called: String,
    /// Its sides, e.g. "20 x 15 x 10 cm"; empty where nothing was packed.
    pub(super) size: String,
    pub(super) weight: Weight,
    pub(super) lines: Vec<Line>,
}

/// Equal units in a parcel.
#[derive(Debug)]
pub(super) struct Line {
    pub(super) name: String,
    pub(super) quantity: i64,
    pub(super) value: Money,
}

impl Party {
    /// The sender of the settings: `shipping.sender`, else the company of the invoices.
    pub(super) fn sender(config: &Config) -> Self {
        let (sender, company) = (&config.shipping.sender, &config.nfe.company);
        let has_company = company.name.is_some() && company.street.is_some();
        if sender.name.is_none()
            && has_company
            && let Ok(company) = config.nfe.company()
        {
            return company.into();
        }
        let text = |text: &Option<String>| printable(text.as_deref().unwrap_or_default());
        let zip_code = sender.zip_code.as_ref().or(config.shipping.origin_cep.as_ref());
        Self {
            name: text(&sender.name),
            document: write::identity(&without_punctuation(&text(&sender.document))),
            street: street(&text(&sender.street), &text(&sender.number), &text(&sender.complement)),
            district: text(&sender.district),
            city: text(&sender.city),
            state: sender.state.as_ref().map(ToString::to_string).unwrap_or_default(),
            zip_code: zip_code.map(ToString::to_string).unwrap_or_default(),
            phone: write::phone(&digits(&text(&sender.phone))),
        }
    }

    /// `City/UF`.
    pub(super) fn place(&self) -> String {
        match (self.city.as_str(), self.state.as_str()) {
            (city, "") => city.to_owned(),
            (city, state) => format!("{city}/{state}"),
        }
    }
}

impl From<Company> for Party {
    fn from(company: Company) -> Self {
        let Company { cnpj, name, trade_name, address, phone, .. } = company;
        let complement = address.complement.unwrap_or_default();
        Self {
            name: printable(&trade_name.unwrap_or(name)),
            document: write::identity(cnpj.as_str()),
            street: printable(&street(&address.street, &address.number, &complement)),
            district: printable(&address.district),
            city: printable(address.city.name),
            state: address.state.to_string(),
            zip_code: address.zip_code.to_string(),
            phone: write::phone(&digits(&phone.unwrap_or_default())),
        }
    }
}

impl Sheet {
    /// Reads an order with its customer and its packing; before it is sent without the units that
    /// are part of a return, so that it may have no parcel.
    ///
    /// # Errors
    /// [`Entity::Order`].
    pub(super) fn read(tx: &mut dyn Tx, id: &OrderId, sender: &Party) -> Result<Self> {
        let mut order = order::find(tx, id)?.ok_or(Error::NotFound(Entity::Order))?;
        let account = account::get(tx, &order.user_id)?;
        let mut plan = packing::of_order(tx, id)?.unwrap_or_default();
        if matches!(order.status, OrderStatus::Pending | OrderStatus::Processing) {
            leave_out(tx, &mut order, &mut plan.parcels)?;
        }
        let (name, phone) = account.map(|it| (it.name, it.phone)).unwrap_or_default();
        let mut parcels: Vec<Parcel> =
            plan.parcels.iter().map(|it| Parcel::of(it, &order)).collect();
        if parcels.is_empty() && !order.items.is_empty() {
            let grams = order::weight_grams(tx, &order)?.max(1);
            parcels.push(Parcel::whole(&order, Weight::from_grams(grams)));
        }
        Ok(Self {
            recipient: recipient(&order, &name, &phone.unwrap_or_default()),
            number: order.order_number,
            placed_at: order.created_at,
            service: printable(&order.shipping_service.unwrap_or_default()),
            notes: printable(&order.notes.unwrap_or_default()),
            sender: sender.clone(),
            parcels,
        })
    }
}

/// Takes units that are part of a return out of the order's lines and out of its parcels, the last
/// ones first, and parcels that are empty then.
fn leave_out(tx: &mut dyn Tx, order: &mut Order, parcels: &mut Vec<PackedParcel>) -> Result<()> {
    let returned = order::returned_units(tx, &order.id)?;
    let weights = order::unit_weights(tx, &order.id)?;
    for ((line, mut out), grams) in order.items.iter_mut().zip(returned).zip(weights) {
        line.quantity -= out;
        line.total = line.price * line.quantity;
        for parcel in parcels.iter_mut().rev() {
            let is_it = |item: &&mut PackedItem| {
                item.product_id == line.product_id && item.variant_id == line.variant_id
            };
            for item in parcel.items.iter_mut().filter(is_it) {
                let units = out.min(item.quantity);
                item.quantity -= units;
                out -= units;
                let left = (parcel.weight.grams() - units * grams).max(1);
                parcel.weight = Weight::from_grams(left);
            }
        }
    }
    order.items.retain(|line| line.quantity > 0);
    for parcel in &mut *parcels {
        parcel.items.retain(|item| item.quantity > 0);
    }
    parcels.retain(|parcel| !parcel.items.is_empty());
    Ok(())
}

fn recipient(order: &Order, name: &str, phone: &str) -> Party {
    let address = &order.address;
    let buyer = order.buyer.as_ref();
    let cnpj = buyer.and_then(|buyer| buyer.company.cnpj.as_ref()).map(ToString::to_string);
    let cpf = || buyer.and_then(|buyer| buyer.cpf.as_ref()).map(ToString::to_string);
    let complement = address.complement.as_deref().unwrap_or_default();
    Party {
        name: printable(name),
        document: write::identity(&cnpj.or_else(cpf).unwrap_or_default()),
        street: printable(&street(&address.street, &address.number, complement)),
        district: printable(&address.district),
        city: printable(&address.city),
        state: address.state.to_string(),
        zip_code: address.zip_code.to_string(),
        phone: write::phone(&digits(phone)),
    }
}

impl Parcel {
    fn of(parcel: &PackedParcel, order: &Order) -> Self {
        let sides = [parcel.length, parcel.width, parcel.height].map(centimetres);
        let line = |item: &PackedItem| Line {
            name: printable(&item.name),
            quantity: item.quantity,
            value: price_of(order, item) * item.quantity,
        };
        Self {
            called: printable(parcel.box_name.as_deref().unwrap_or_default()),
            size: format!("{} cm", sides.join(" x ")),
            weight: parcel.weight,
            lines: parcel.items.iter().map(line).collect(),
        }
    }

    /// An order that was not packed, as one parcel.
    fn whole(order: &Order, weight: Weight) -> Self {
        let line = |item: &OrderItem| {
            let name = &item.product_name_snapshot;
            let variant = item.variant_snapshot.as_ref();
            let name = variant.map_or_else(|| name.clone(), |it| format!("{name} ({it})"));
            Line { name: printable(&name), quantity: item.quantity, value: item.total }
        };
        let lines = order.items.iter().map(line).collect();
        Self { called: String::new(), size: String::new(), weight, lines }
    }

    pub(super) fn units(&self) -> i64 {
        self.lines.iter().map(|line| line.quantity).sum()
    }

    pub(super) fn value(&self) -> Money {
        self.lines.iter().map(|line| line.value).sum()
    }

    /// In kilograms, as people write it.
    pub(super) fn kilograms(&self) -> String {
        let grams = self.weight.grams();
        format!("{},{:03}", write::thousands(&(grams / 1000).to_string()), grams % 1000)
    }
}

fn price_of(order: &Order, packed: &PackedItem) -> Money {
    let is_it = |item: &&OrderItem| {
        item.product_id == packed.product_id && item.variant_id == packed.variant_id
    };
    order.items.iter().find(is_it).map_or(Money::ZERO, |item| item.price)
}

fn centimetres(length: Length) -> String {
    length.to_string().replace('.', ",")
}

fn street(street: &str, number: &str, complement: &str) -> String {
    let parts = [street, number, complement];
    parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(", ")
}
