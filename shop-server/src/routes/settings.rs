//! The public part of the settings (`/api/settings`).

use shop_core::site::PublicSettings;

use crate::routes::prelude::*;

pub(super) fn rows() -> Vec<Route> {
    vec![
        public(Method::GET, "/api/settings", "getSettings", get)
            .about("The published pages, the ids of analytics, who sells, and the term to withdraw")
            .cached(),
    ]
}

async fn get(call: Call<Public>) -> Result<PublicSettings> {
    call.shop().site().get_public().await
}
