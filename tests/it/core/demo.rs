use serde_json::json;
use shop_core::config::{Config, Environment};
use shop_core::demo::{self, DemoSize};

use super::fixture::{TestShop, input};

#[tokio::test]
async fn the_demonstration_shop_is_complete() {
    let test = TestShop::open().await;
    let report = demo::seed(&test.shop, DemoSize::Shop).await.expect("seeded");
    assert_eq!((report.filled, report.products, report.logins.len()), (true, 44, 2));
    for login in &report.logins {
        let log_in = input(json!({ "email": login.email, "password": login.password }));
        let session = test.shop.sessions().log_in(log_in).await.expect("logs in");
        assert_eq!(session.account.role.as_str(), login.role);
    }
    let page = test.shop.products().list(input(json!({ "limit": 100 }))).await.expect("a page");
    for row in page.data {
        assert!(row.category.is_some(), "{row:?}");
        let product = test.shop.products().get(&row.slug).await.expect("a product");
        let images = product.images.to_vec().expect("images");
        assert_eq!(images.iter().filter(|image| image.is_primary).count(), 1);
        for image in images {
            let name =
                image.url.strip_prefix("/uploads/").expect("a path").parse().expect("a name");
            assert!(test.shop.media().get(name).await.expect("reads").is_some(), "{}", image.url);
        }
        assert_eq!(i64::try_from(product.reviews.len()).expect("a count"), product.review_count);
        let reviews = test.shop.reviews().list(&row.slug).await.expect("a list");
        assert_eq!(reviews.data, product.reviews);
        assert_eq!(reviews.summary.total, product.review_count);
        let five = reviews.data.iter().filter(|review| review.rating == 5).count();
        assert_eq!(i64::try_from(five).expect("a count"), reviews.summary.distribution.five);
    }
    test.check_ledger();
}

#[tokio::test]
async fn a_shop_with_products_is_left_alone() {
    let test = TestShop::open().await;
    test.product("vela", 5, 1000).await;
    let report = demo::seed(&test.shop, DemoSize::Shop).await.expect("left alone");
    assert_eq!((report.filled, report.products, report.logins.len()), (false, 1, 0));
}

#[tokio::test]
async fn production_gets_no_accounts_with_known_passwords() {
    let production = |config: &mut Config| {
        config.environment = Environment::Production;
        config.jwt_secret = Some(input(json!("12345678901234567890123456789012")));
    };
    let test = TestShop::with(production).await;
    let report = demo::seed(&test.shop, DemoSize::Shop).await.expect("seeded");
    assert_eq!((report.products, report.logins.len()), (44, 0));
}

#[tokio::test]
async fn made_up_products_are_always_the_same() {
    let slugs = async || {
        let test = TestShop::open().await;
        demo::seed(&test.shop, DemoSize::Products(230)).await.expect("seeded");
        let newest = input(json!({ "limit": 100 }));
        let page = test.shop.products().list(newest).await.expect("a page");
        assert_eq!(page.pagination.total, 230);
        test.check_ledger();
        page.data.into_iter().map(|product| (product.slug, product.price)).collect::<Vec<_>>()
    };
    assert_eq!(slugs().await, slugs().await);
}
