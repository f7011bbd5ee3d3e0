//! Shipping, for staff (`/api/admin/shipping`): the shop's own tariffs, and how the carriers are.

use hyper::Method;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use shop_core::Result;
use shop_core::id::TariffId;
use shop_core::shipping::{CarrierState, NewTariff, Tariff, TariffPatch};

use crate::caller::Admin;
use crate::input::{IfMatch, Json, Path};
use crate::output::{Created, Message, Ok200, Versioned};
use crate::reply::Code;
use crate::route::{Call, Route, admin};

const TARIFFS: &str = "/api/admin/shipping";
const TARIFF: &str = "/api/admin/shipping/{id}";

pub(super) fn rows() -> Vec<Route> {
    vec![
        admin(Method::GET, TARIFFS, "adminListTariffs", list).about("All static tariffs"),
        admin(Method::POST, TARIFFS, "adminCreateTariff", create).about("Add a tariff"),
        admin(Method::GET, "/api/admin/shipping/providers", "adminListCarriers", carriers)
            .about("Whether each carrier answers, by a real question of late"),
        admin(Method::GET, TARIFF, "adminGetTariff", get)
            .about("A tariff")
            .fails(&[Code::TariffNotFound]),
        admin(Method::PATCH, TARIFF, "adminUpdateTariff", update)
            .about("Change a tariff")
            .fails(&[Code::TariffNotFound]),
        admin(Method::DELETE, TARIFF, "adminDeleteTariff", delete)
            .about("Delete a tariff")
            .fails(&[Code::TariffNotFound]),
    ]
}

#[derive(Debug, Deserialize, JsonSchema)]
struct TariffPath {
    /// The tariff's id.
    id: TariffId,
}

#[derive(Debug, Serialize, JsonSchema)]
struct Carriers {
    /// In the order in which they are preferred.
    providers: Vec<CarrierState>,
}

async fn list(call: Call<Admin>, (): ()) -> Result<Ok200<Vec<Tariff>>> {
    call.shop().shipping().list_tariffs().await.map(Ok200)
}

async fn create(
    call: Call<Admin>,
    Json(new): Json<NewTariff>,
) -> Result<Versioned<Created<Tariff>>> {
    let tariff = call.shop().shipping().create_tariff(&call.caller.actor(), new).await?;
    let revision = tariff.revision()?;
    Ok(Versioned(Created(tariff), revision))
}

async fn get(
    call: Call<Admin>,
    Path(TariffPath { id }): Path<TariffPath>,
) -> Result<Versioned<Ok200<Tariff>>> {
    versioned(call.shop().shipping().get_tariff(&id).await?)
}

async fn update(
    call: Call<Admin>,
    (Path(TariffPath { id }), IfMatch(seen), Json(patch)): (
        Path<TariffPath>,
        IfMatch,
        Json<TariffPatch>,
    ),
) -> Result<Versioned<Ok200<Tariff>>> {
    let by = call.caller.actor();
    versioned(call.shop().shipping().update_tariff(&by, &id, patch, seen).await?)
}

async fn delete(
    call: Call<Admin>,
    Path(TariffPath { id }): Path<TariffPath>,
) -> Result<Ok200<Message>> {
    call.shop().shipping().delete_tariff(&call.caller.actor(), &id).await?;
    Ok(Message::new("Tarifa excluída"))
}

async fn carriers(call: Call<Admin>, (): ()) -> Result<Ok200<Carriers>> {
    Ok(Ok200(Carriers { providers: call.shop().shipping().list_carriers().await }))
}

fn versioned(tariff: Tariff) -> Result<Versioned<Ok200<Tariff>>> {
    let revision = tariff.revision()?;
    Ok(Versioned(Ok200(tariff), revision))
}
