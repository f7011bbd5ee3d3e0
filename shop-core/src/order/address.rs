//! The address that an order goes to, mended by staff as long as no paper says another.

use super::{Order, OrderAddress, redact, store};
use crate::actor::Actor;
use crate::audit;
use crate::context::Work;
use crate::error::{Conflict, Error, Result};
use crate::order::{Change, MovedBy, OrderStatus};
use crate::storage::Tx;
use crate::value::{Cep, OptionalText, Text, Uf};

/// Where an order shall go instead, whole.
#[apply(input!)]
pub struct NewOrderAddress {
    /// The street, without the number.
    pub street: Text<1, 200>,
    /// The house's number, or what stands for it.
    pub number: Text<1, 20>,
    /// Flat, block and the like; an empty text is none.
    #[serde(default)]
    pub complement: Option<OptionalText<100>>,
    /// The district ("bairro").
    pub district: Text<1, 120>,
    /// The city.
    pub city: Text<1, 120>,
    /// The state, by its two letters.
    pub state: Uf,
    /// Eight digits, with or without the hyphen.
    pub zip_code: Cep,
}

/// What the history says of a mended address; what it was and is stands in no log, for it is the
/// customer's.
const MENDED: &str = "Endereço de entrega corrigido";

/// Sends an order elsewhere. The price of the shipping stays.
///
/// # Errors
/// [`Conflict::AddressFixed`] for an order that was delivered.
pub(super) fn mend(
    tx: &mut dyn Tx,
    at: &Work,
    by: &Actor,
    order: &Order,
    new: &NewOrderAddress,
) -> Result<OrderAddress> {
    let address = OrderAddress::from(new);
    if address == order.address {
        return Ok(address);
    }
    if order.status == OrderStatus::Delivered {
        return Err(Error::Conflict(Conflict::AddressFixed));
    }
    store::set_address(tx, &order.id, &address, at.now())?;
    let kept = Change { to: order.status, by: MovedBy::Staff(by), note: Some(MENDED) };
    store::insert_history(tx, at, &order.id, &kept)?;
    let (before, after) = (redact(order.address.clone()), redact(address.clone()));
    audit::record(tx, at, by, "order.set_address", order.id.as_str(), &before, &after)?;
    Ok(address)
}

impl From<&NewOrderAddress> for OrderAddress {
    fn from(new: &NewOrderAddress) -> Self {
        let complement = new.complement.as_ref().map(ToString::to_string);
        Self {
            street: new.street.to_string(),
            number: new.number.to_string(),
            complement: complement.filter(|text| !text.is_empty()),
            district: new.district.to_string(),
            city: new.city.to_string(),
            state: new.state.clone(),
            zip_code: new.zip_code.clone(),
        }
    }
}
