//! The boxes that orders are packed in (`/api/admin/shipping/boxes`).

use shop_core::id::BoxId;
use shop_core::shipping::{BoxWarning, NewShippingBox, ShippingBox, ShippingBoxPatch};

use crate::routes::prelude::*;

const BOXES: &str = "/api/admin/shipping/boxes";
const BOX: &str = "/api/admin/shipping/boxes/{id}";

pub(super) fn rows() -> Vec<Route> {
    vec![
        admin(Method::GET, BOXES, "adminListBoxes", list)
            .about("All boxes that orders are packed in, oldest first"),
        admin(Method::POST, BOXES, "adminCreateBox", create).about("Add a box"),
        admin(Method::GET, BOX, "adminGetBox", get).about("A box"),
        admin(Method::PATCH, BOX, "adminUpdateBox", update)
            .about("Change a box; orders keep the parcels that they were placed with"),
        admin(Method::DELETE, BOX, "adminDeleteBox", delete).about("Delete a box"),
    ]
}

/// A box with what carriers make of it.
#[derive(Debug, Serialize, JsonSchema)]
struct StaffBox {
    #[serde(flatten)]
    shipping_box: ShippingBox,
    /// What carriers make of it; none where every carrier takes it as it is.
    warnings: Vec<BoxWarning>,
}

impl From<ShippingBox> for StaffBox {
    fn from(shipping_box: ShippingBox) -> Self {
        Self { warnings: shipping_box.warnings(), shipping_box }
    }
}

async fn list(call: Call<Admin>) -> Result<Vec<StaffBox>> {
    let boxes = call.shop().shipping().list_boxes().await?;
    Ok(boxes.into_iter().map(StaffBox::from).collect())
}

async fn create(
    call: Call<Admin>,
    Json(new): Json<NewShippingBox>,
) -> Result<Versioned<Created<StaffBox>>> {
    let made = call.shop().shipping().create_box(&call.actor(), new).await?;
    let revision = made.revision()?;
    Ok(Versioned(Created(made.into()), revision))
}

async fn get(call: Call<Admin>, Id(id): Id<BoxId>) -> Result<Versioned<StaffBox>> {
    shown(call.shop().shipping().get_box(&id).await?)
}

async fn update(
    call: Call<Admin>,
    Id(id): Id<BoxId>,
    IfMatch(expected): IfMatch,
    Json(patch): Json<ShippingBoxPatch>,
) -> Result<Versioned<StaffBox>> {
    shown(call.shop().shipping().update_box(&call.actor(), &id, patch, expected).await?)
}

async fn delete(
    call: Call<Admin>,
    Id(id): Id<BoxId>,
    IfMatch(expected): IfMatch,
) -> Result<Message> {
    call.shop().shipping().delete_box(&call.actor(), &id, expected).await?;
    Ok(Message::new("Caixa excluída"))
}

fn shown(found: ShippingBox) -> Result<Versioned<StaffBox>> {
    let revision = found.revision()?;
    Ok(Versioned(found.into(), revision))
}
