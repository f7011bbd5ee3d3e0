//! API keys (`/api/admin/api-keys`).

use shop_core::api_key::{ApiKey, CreatedKey, NewApiKey};
use shop_core::id::ApiKeyId;

use crate::routes::prelude::*;

pub(super) fn rows() -> Vec<Route> {
    vec![
        admin(Method::GET, "/api/admin/api-keys", "listApiKeys", list)
            .about("All API keys, without the keys themselves, the latest first"),
        admin(Method::POST, "/api/admin/api-keys", "createApiKey", create)
            .about("Make an API key; the answer is the only one that shows it"),
        admin(Method::DELETE, "/api/admin/api-keys/{id}", "revokeApiKey", revoke)
            .about("End an API key: its next call is refused"),
    ]
}

/// A key that was just made.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct NewKey {
    #[serde(flatten)]
    key: ApiKey,
    /// The key itself, shown nowhere else.
    raw_key: String,
}

async fn list(call: Call<Admin>) -> Result<Vec<ApiKey>> {
    call.shop().api_keys().list().await
}

async fn create(call: Call<Admin>, Json(new): Json<NewApiKey>) -> Result<Created<NewKey>> {
    let CreatedKey { key, raw, .. } = call.shop().api_keys().create(&call.actor(), new).await?;
    Ok(Created(NewKey { key, raw_key: raw.reveal().to_owned() }))
}

async fn revoke(call: Call<Admin>, Id(id): Id<ApiKeyId>) -> Result<ApiKey> {
    call.shop().api_keys().revoke(&call.actor(), &id).await
}
