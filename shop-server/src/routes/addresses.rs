//! A customer's address book (`/api/user/addresses`).

use shop_core::account::{Address, AddressPatch, NewAddress};
use shop_core::id::AddressId;

use crate::routes::prelude::*;

const ADDRESSES: &str = "/api/user/addresses";
const ADDRESS: &str = "/api/user/addresses/{id}";

pub(super) fn rows() -> Vec<Route> {
    vec![
        session(Method::GET, ADDRESSES, "listAddresses", list).about("One's own address book"),
        session(Method::POST, ADDRESSES, "createAddress", create).about("Add an address"),
        session(Method::PATCH, ADDRESS, "updateAddress", update).about("Change an address"),
        session(Method::DELETE, ADDRESS, "deleteAddress", delete).about("Remove an address"),
    ]
}

async fn list(call: Call<Session>) -> Result<Vec<Address>> {
    call.shop().addresses().list(&call.caller.0.id).await
}

async fn create(call: Call<Session>, Json(new): Json<NewAddress>) -> Result<Created<Address>> {
    call.shop().addresses().create(&call.caller.0.id, new).await.map(Created)
}

async fn update(
    call: Call<Session>,
    Id(id): Id<AddressId>,
    Json(patch): Json<AddressPatch>,
) -> Result<Address> {
    call.shop().addresses().update(&call.caller.0.id, &id, patch).await
}

async fn delete(call: Call<Session>, Id(id): Id<AddressId>) -> Result<Message> {
    call.shop().addresses().delete(&call.caller.0.id, &id).await?;
    Ok(Message::new("Endereço excluído"))
}
