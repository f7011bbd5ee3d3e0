//! A customer's address book (`/api/user/addresses`).

use hyper::Method;
use schemars::JsonSchema;
use serde::Deserialize;
use shop_core::Result;
use shop_core::account::{Address, AddressPatch, NewAddress};
use shop_core::id::AddressId;

use crate::caller::Session;
use crate::input::{Json, Path};
use crate::output::{Created, Message, Ok200};
use crate::reply::Code;
use crate::route::{Call, Route, session};

const ADDRESSES: &str = "/api/user/addresses";
const ADDRESS: &str = "/api/user/addresses/{id}";

pub(super) fn rows() -> Vec<Route> {
    vec![
        session(Method::GET, ADDRESSES, "listAddresses", list).about("One's own address book"),
        session(Method::POST, ADDRESSES, "createAddress", create).about("Add an address"),
        session(Method::PATCH, ADDRESS, "updateAddress", update)
            .about("Change an address")
            .fails(&[Code::AddressNotFound]),
        session(Method::DELETE, ADDRESS, "deleteAddress", delete)
            .about("Remove an address")
            .fails(&[Code::AddressNotFound]),
    ]
}

#[derive(Debug, Deserialize, JsonSchema)]
struct AddressPath {
    /// The address's id.
    id: AddressId,
}

async fn list(call: Call<Session>, (): ()) -> Result<Ok200<Vec<Address>>> {
    call.shop().addresses().list(&call.caller.0.id).await.map(Ok200)
}

async fn create(call: Call<Session>, Json(new): Json<NewAddress>) -> Result<Created<Address>> {
    call.shop().addresses().create(&call.caller.0.id, new).await.map(Created)
}

async fn update(
    call: Call<Session>,
    (Path(AddressPath { id }), Json(patch)): (Path<AddressPath>, Json<AddressPatch>),
) -> Result<Ok200<Address>> {
    call.shop().addresses().update(&call.caller.0.id, &id, patch).await.map(Ok200)
}

async fn delete(
    call: Call<Session>,
    Path(AddressPath { id }): Path<AddressPath>,
) -> Result<Ok200<Message>> {
    call.shop().addresses().delete(&call.caller.0.id, &id).await?;
    Ok(Message::new("Endereço excluído"))
}
