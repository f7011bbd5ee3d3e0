//! The public catalogue.

use hyper::header::{CACHE_CONTROL, CONTENT_SECURITY_POLICY, HeaderMap, HeaderValue};
use shop_core::Error;
use shop_core::catalog::{
    Category, CreatedProduct, NewProduct, Product, ProductFilter, ProductPage, SearchPage,
    SearchQuery,
};
use shop_core::error::Entity;
use shop_core::media::{MediaContent, MediaName};

use crate::file_body::{self, FileBody};
use crate::key::PublicOrKey;
use crate::output::StoredFile;
use crate::payload::Payload;
use crate::routes::prelude::*;

pub(super) fn rows() -> Vec<Route> {
    vec![
        public_or_key(ProductsRead, Method::GET, "/api/products", "listProducts", list)
            .about("Products on sale, filtered and sorted")
            .details(
                "With `facets` it also tells how many products each choice of a category, of a range of \
                 prices and of `inStock` would leave, all other filters kept: what the `total` of that \
                 list would be.",
            )
            .cached(),
        key(ProductsWrite, Method::POST, "/api/products", "createProductByKey", create)
            .about("Add a product, as the back office does")
            .fails(&[Code::ImportUnderWay, Code::SlugTaken, Code::SkuTaken]),
        public(Method::GET, "/api/products/search", "searchProducts", search)
            .about("Products by the words in their name and description")
            .details(
                "Every word must occur, by its beginning, in name or description, whatever its \
                 case and accents; words that begin none of the catalogue's are taken for the \
                 nearest. In `highlight` only `<mark>` is markup.",
            )
            .cached(),
        public(Method::GET, "/api/products/{slug}", "getProduct", get)
            .about("A product in full")
            .fails(&[Code::ProductNotFound])
            .cached(),
        public(Method::GET, "/api/categories", "listCategories", categories)
            .about("Active categories")
            .cached(),
        public(Method::GET, "/uploads/{name}", "getPicture", picture)
            .about("A picture that the shop keeps, in one of several widths")
            .fails(&[Code::MediaNotFound])
            .headers(&[Header::CacheControl])
            .media(&["image/jpeg", "image/png", "image/webp", "image/gif", "image/svg+xml"])
            .tagged(),
    ]
}

/// There will never be another picture under a name that is made of its content.
const FOR_EVER: HeaderValue = HeaderValue::from_static("public, max-age=31536000, immutable");
/// A picture is replaced under its own name only by an operator, on purpose.
const PICTURE_AGE: HeaderValue = HeaderValue::from_static("public, max-age=604800");
/// A larger picture stands in for one that may be made yet.
const STAND_IN_AGE: HeaderValue = HeaderValue::from_static("public, max-age=3600");
/// An SVG opened by itself is a page: one that may do nothing.
const HARMLESS: HeaderValue =
    HeaderValue::from_static("default-src 'none'; style-src 'unsafe-inline'; sandbox");

#[derive(Debug, Deserialize, JsonSchema)]
struct ProductPath {
    /// The product's slug.
    slug: String,
}

#[derive(Debug, Deserialize, JsonSchema)]
struct PicturePath {
    /// The picture's name.
    name: String,
}

#[derive(Debug, Deserialize, JsonSchema)]
struct PictureQuery {
    /// Its width in pixels: 160, 320, 640, 960 or 1280. Pictures that were uploaded can be had in
    /// these, unless they are narrower; the next larger one stands in for one that there is not.
    w: Option<u32>,
}

async fn list(
    call: Call<PublicOrKey<ProductsRead>>,
    Query(filter): Query<ProductFilter>,
) -> Result<ProductPage> {
    call.shop().products().list(filter).await
}

async fn create(
    call: Call<Key<ProductsWrite>>,
    Repeat(key): Repeat,
    Json(new): Json<NewProduct>,
) -> Result<Versioned<Replayed<Created<Product>>>> {
    let CreatedProduct { product, replayed, .. } =
        call.shop().products().create(&call.actor(), new, key).await?;
    let revision = product.revision()?;
    Ok(Versioned(Replayed(Created(product), replayed), revision))
}

async fn search(call: Call<Public>, Query(query): Query<SearchQuery>) -> Result<SearchPage> {
    call.shop().products().search(query).await
}

async fn get(call: Call<Public>, Path(ProductPath { slug }): Path<ProductPath>) -> Result<Product> {
    call.shop().products().get_by_slug(&slug).await
}

async fn categories(call: Call<Public>) -> Result<Vec<Category>> {
    call.shop().categories().list().await
}

async fn picture(
    call: Call<Public>,
    Path(PicturePath { name }): Path<PicturePath>,
    Query(PictureQuery { w }): Query<PictureQuery>,
) -> Result<WithHeaders<StoredFile>> {
    let name: MediaName = name.parse().map_err(|_| Error::NotFound(Entity::Media))?;
    let of_content = name.is_of_content();
    #[cfg(feature = "media")]
    let found = call.shop().pictures().open(name, w).await?.map(|shown| (shown.media, shown.exact));
    #[cfg(not(feature = "media"))]
    let found = call.shop().media().open(name).await?.map(|media| (media, w.is_none()));
    let (media, exact) = found.ok_or(Error::NotFound(Entity::Media))?;
    let age = match (of_content, exact) {
        (true, true) => FOR_EVER,
        (true, false) => STAND_IN_AGE,
        (false, _) => PICTURE_AGE,
    };
    let mut headers = HeaderMap::from_iter([(CACHE_CONTROL, age)]);
    if media.content_type == "image/svg+xml" {
        headers.insert(CONTENT_SECURITY_POLICY, HARMLESS);
    }
    let content_type = HeaderValue::from_static(media.content_type);
    let (etag, content) = match media.content {
        MediaContent::Bytes(bytes) => (None, Payload::Whole(bytes.into())),
        MediaContent::File(file) => {
            let metadata = file.metadata().map_err(Error::from_source)?;
            let body = FileBody::new(file, media.length);
            (Some(file_body::tag_of(&metadata)), Payload::File(body))
        }
    };
    Ok(WithHeaders(StoredFile { content_type, etag, content }, headers))
}
