//! Pictures for products and pages (`/api/admin/upload`).

use crate::multipart::{FORM_LIMIT, Upload};
use crate::routes::prelude::*;

pub(super) fn rows() -> Vec<Route> {
    vec![
        admin(Method::POST, "/api/admin/upload", "uploadPicture", upload)
            .about("Keep a picture: JPEG, PNG, WebP or GIF, at most 5 MB and 40 megapixels")
            .body_limit(FORM_LIMIT),
    ]
}

#[derive(Debug, Serialize, JsonSchema)]
struct Uploaded {
    /// Where the picture is; `?w=` gives it in another width.
    url: String,
}

async fn upload(call: Call<Admin>, Upload(file): Upload) -> Result<Uploaded> {
    let name = call.shop().pictures().upload(&call.actor(), file.into()).await?;
    Ok(Uploaded { url: name.path() })
}
