//! A shop whose clock is wrong by decades still works.

use shop_core::clock::Timestamp;

use super::fixture::TestShop;

#[tokio::test]
async fn a_shop_works_before_1970_and_far_in_the_future() {
    for start in [-1, -2_208_988_800_000, 0, 7_258_118_400_000] {
        let test = TestShop::at(Timestamp::from_millis(start), |_| {}).await;
        let (buyer, vela) = (test.buyer("ana").await, test.product("vela", 9, 4990).await);
        let order = test.buy(&buyer, &vela, 1).await.expect("placed");
        assert_eq!(order.created_at.millis(), start);
        test.shop.payments().create_pix(&buyer.id, &order.id, None).await.expect("a code");
        let token = test.log_in("ana").await;
        test.shop.sessions().verify(&token).await.expect("a session");
        test.advance_hours(73);
        let done = test.shop.run_due().await.expect("done");
        assert_eq!((done.orders_cancelled, done.failures), (1, 0), "{start}");
    }
}
