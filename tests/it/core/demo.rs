use serde_json::json;
use shop_core::Shop;
use shop_core::actor::Actor;
use shop_core::config::{Config, Environment, Secret};
use shop_core::demo::{self, DemoLogin, DemoSize, DemoStep};

use super::fixture::{JWT_SECRET, TestShop, input};

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
        let product = test.shop.products().get_by_slug(row.slug.as_str()).await.expect("a product");
        let images = product.images.to_vec().expect("images");
        assert_eq!(images.iter().filter(|image| image.is_primary).count(), 1);
        for image in images {
            let name =
                image.url.strip_prefix("/uploads/").expect("a path").parse().expect("a name");
            assert!(test.shop.media().get(name).await.expect("reads").is_some(), "{}", image.url);
        }
        assert_eq!(i64::try_from(product.reviews.len()).expect("a count"), product.review_count);
        let reviews =
            test.shop.reviews().list_for_product(row.slug.as_str()).await.expect("a list");
        assert_eq!(reviews.data, product.reviews);
        assert_eq!(reviews.summary.total, product.review_count);
        let five = reviews.data.iter().filter(|review| review.rating == 5).count();
        assert_eq!(i64::try_from(five).expect("a count"), reviews.summary.distribution.five);
    }
    test.check_ledger();
}

#[tokio::test]
async fn money_of_a_made_up_order_is_given_back() {
    let test = TestShop::open().await;
    demo::seed(&test.shop, DemoSize::Shop).await.expect("seeded");
    let filter = input(json!({ "status": "DELIVERED", "limit": 5 }));
    let orders = test.shop.orders().list(filter).await.expect("orders").data;
    assert!(!orders.is_empty());
    for order in orders {
        let ten = input(json!({ "amount": 10 }));
        let refunds = test.shop.payments();
        refunds.refund(&Actor::System, &order.order.id, ten, None).await.expect("given back");
    }
    test.check_books().await;
}

#[tokio::test]
async fn a_shop_with_products_is_left_alone() {
    let test = TestShop::open().await;
    test.product("vela", 5, 1000).await;
    let report = demo::seed(&test.shop, DemoSize::Shop).await.expect("left alone");
    assert_eq!((report.filled, report.products, report.logins.len()), (false, 1, 0));
}

fn production(config: &mut Config) {
    config.environment = Environment::Production;
    config.jwt_secret = Some(Secret::new(JWT_SECRET));
}

#[tokio::test]
async fn who_has_a_known_password_is_suspended_once_the_demonstration_is_in_production() {
    let test = TestShop::open().await;
    let owner = test.buyer("ana").await;
    let report = demo::seed(&test.shop, DemoSize::Shop).await.expect("seeded");
    let log_in = async |shop: &Shop, login: &DemoLogin| {
        let input = input(json!({ "email": login.email, "password": login.password }));
        shop.sessions().log_in(input).await
    };
    let before = log_in(&test.shop, &report.logins[0]).await.expect("logs in");
    test.open_again().await.sessions().verify(&before.token).await.expect("still a session");
    let shop = test.open_again_with(production).await;
    for login in &report.logins {
        log_in(&shop, login).await.expect_err("a published password");
    }
    shop.sessions().verify(&before.token).await.expect_err("a session of before");
    assert!(shop.accounts().get(&owner.id).await.expect("an account").is_active);
}

#[tokio::test]
async fn production_gets_no_accounts_with_known_passwords() {
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

#[tokio::test]
async fn a_made_up_trade_stands_in_the_books() {
    let test = TestShop::open().await;
    let size = DemoSize::Trade { products: 40, customers: 60, orders: 900 };
    let told = std::sync::Mutex::new(Vec::new());
    let progress = |step, done, of| told.lock().expect("a lock").push((step, done, of));
    demo::seed_with(&test.shop, size, &progress).await.expect("seeded");
    let told = told.into_inner().expect("a lock");
    for (step, of) in [(DemoStep::Products, 40), (DemoStep::Customers, 60), (DemoStep::Orders, 900)]
    {
        assert!(told.contains(&(step, of, of)), "{step:?}: {told:?}");
    }
    test.check_ledger();
    let count = |sql: &str| test.count(sql);
    assert_eq!(count("SELECT count(*) FROM orders"), 900);
    assert_eq!(count("SELECT sum(last) FROM order_day"), 900);
    let settled = "status IN ('SHIPPED', 'DELIVERED', 'CANCELLED', 'REFUNDED')";
    assert_eq!(count(&format!("SELECT count(DISTINCT status) FROM orders WHERE {settled}")), 4);
    for wrong in [
        "FROM orders WHERE total <> subtotal - discount + shipping",
        "FROM orders o WHERE subtotal <>
           (SELECT sum(total) FROM order_item i WHERE i.order_id = o.id)",
        "FROM orders o WHERE status IN ('PROCESSING', 'SHIPPED', 'DELIVERED') AND total <>
           (SELECT sum(captured) FROM payment p WHERE p.order_id = o.id AND p.status = 'PAID')",
        "FROM coupon c WHERE used_count <>
           (SELECT count(*) FROM coupon_use u WHERE u.coupon_id = c.id) OR used_count = 0",
        "FROM stock s WHERE is_variant = 0 AND sold <> (SELECT coalesce(sum(quantity), 0)
           FROM order_item i JOIN orders o ON o.id = i.order_id
           WHERE i.item_id = s.item_id AND o.status NOT IN ('CANCELLED', 'REFUNDED'))",
    ] {
        assert_eq!(count(&format!("SELECT count(*) {wrong}")), 0, "{wrong}");
    }
    let stats = test.shop.dashboard().get_totals().await.expect("stats");
    let revenue = "SELECT sum(total) FROM orders 
        WHERE status IN ('PROCESSING', 'SHIPPED', 'DELIVERED')";
    assert_eq!((stats.total_orders, stats.total_revenue.cents()), (900, count(revenue)));
    // The shop goes on numbering where the made-up orders of today end.
    let buyer = test.buyer("ana").await;
    let vela = test.product("vela", 5, 1000).await;
    test.buy(&buyer, &vela, 1).await.expect("placed");
    assert_eq!(count("SELECT count(DISTINCT number) FROM orders"), 901);
}
