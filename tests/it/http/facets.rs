//! Counts beside a list of products, as a storefront asks for them.

use serde_json::json;
use shop_core::actor::Actor;

use super::TestServer;
use crate::core::fixture::input;

#[tokio::test]
async fn facets_tell_what_each_choice_would_leave() {
    let server = TestServer::start().await;
    let shop = &server.test.shop;
    let new = input(json!({ "name": "Velas", "slug": "velas" }));
    let velas = shop.categories().create(&Actor::System, new).await.expect("a category").id;
    let products = [
        ("lavanda", 49.9, 3, Some(&velas)),
        ("figo", 59.9, 0, Some(&velas)),
        ("vaso", 120.0, 1, None),
    ];
    for (slug, price, stock, category) in products {
        let new = json!({ "name": slug, "slug": slug, "price": price, "stock": stock, "categoryId": category });
        shop.products().create(&Actor::System, input(new), None).await.expect("a product");
    }
    let anyone = server.anonymous();
    let path = "/api/products?facets=category,price,inStock&maxPrice=100&limit=1";
    let page = anyone.get(path).await.expect(200);
    assert_eq!(page["pagination"]["total"], 2);
    let velas = json!({ "id": velas, "name": "Velas", "slug": "velas", "count": 2 });
    let ranges = json!([
        { "minPrice": 40.0, "maxPrice": 59.99, "count": 2 },
        { "minPrice": 120.0, "maxPrice": 139.99, "count": 1 },
    ]);
    let expected = json!({
        "category": [velas],
        "price": { "min": 49.9, "max": 120.0, "ranges": ranges },
        "inStock": { "available": 1, "all": 2 },
    });
    assert_eq!(page["facets"], expected);
    let some = anyone.get("/api/products?facets=inStock").await.expect(200);
    assert_eq!(some["facets"], json!({ "inStock": { "available": 2, "all": 3 } }));
    for path in ["/api/products", "/api/products?facets="] {
        assert!(anyone.get(path).await.expect(200).get("facets").is_none(), "{path}");
    }
    let wrong = anyone.get("/api/products?facets=category,colour").await;
    assert!(wrong.wrong_fields()["facets"][0].as_str().expect("words").contains("category, price"));
    // The same question after a sale is answered anew.
    let buyer = server.test.buyer("ana").await;
    let vaso = shop.products().get_by_slug("vaso").await.expect("a product").id;
    server.test.buy(&buyer, &vaso, 1).await.expect("sold");
    let some = anyone.get("/api/products?facets=inStock").await.expect(200);
    assert_eq!(some["facets"], json!({ "inStock": { "available": 1, "all": 3 } }));
}
