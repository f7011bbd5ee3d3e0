//! Shipping, for staff (`/api/admin/shipping`): the shop's own tariffs, and how the carriers are.

use shop_core::id::TariffId;
use shop_core::shipping::{CarrierState, NewTariff, Tariff, TariffPatch};

use crate::routes::prelude::*;

const TARIFFS: &str = "/api/admin/shipping";
const TARIFF: &str = "/api/admin/shipping/{id}";

pub(super) fn rows() -> Vec<Route> {
    vec![
        admin(Method::GET, TARIFFS, "adminListTariffs", list).about("All static tariffs"),
        admin(Method::POST, TARIFFS, "adminCreateTariff", create).about("Add a tariff"),
        admin(Method::GET, "/api/admin/shipping/providers", "adminListCarriers", carriers)
            .about("Whether each carrier answers, by a real question of late"),
        admin(Method::GET, TARIFF, "adminGetTariff", get).about("A tariff"),
        admin(Method::PATCH, TARIFF, "adminUpdateTariff", update).about("Change a tariff"),
        admin(Method::DELETE, TARIFF, "adminDeleteTariff", delete).about("Delete a tariff"),
    ]
}

#[derive(Debug, Serialize, JsonSchema)]
struct Carriers {
    /// In the order in which they are preferred.
    providers: Vec<CarrierState>,
}

async fn list(call: Call<Admin>) -> Result<Vec<Tariff>> {
    call.shop().shipping().list_tariffs().await
}

async fn create(
    call: Call<Admin>,
    Json(new): Json<NewTariff>,
) -> Result<Versioned<Created<Tariff>>> {
    call.shop().shipping().create_tariff(&call.actor(), new).await.and_then(Versioned::created)
}

async fn get(call: Call<Admin>, Id(id): Id<TariffId>) -> Result<Versioned<Tariff>> {
    call.shop().shipping().get_tariff(&id).await.and_then(Versioned::of)
}

async fn update(
    call: Call<Admin>,
    Id(id): Id<TariffId>,
    IfMatch(expected): IfMatch,
    Json(patch): Json<TariffPatch>,
) -> Result<Versioned<Tariff>> {
    let shipping = call.shop().shipping();
    shipping.update_tariff(&call.actor(), &id, patch, expected).await.and_then(Versioned::of)
}

async fn delete(
    call: Call<Admin>,
    Id(id): Id<TariffId>,
    IfMatch(expected): IfMatch,
) -> Result<Message> {
    call.shop().shipping().delete_tariff(&call.actor(), &id, expected).await?;
    Ok(Message::new("Tarifa excluída"))
}

async fn carriers(call: Call<Admin>) -> Result<Carriers> {
    Ok(Carriers { providers: call.shop().shipping().list_carriers().await })
}
