//! Whatever a carrier says, and in whatever order: nothing moves back, and nothing is told twice.

use proptest::prelude::*;
use shop_core::order::OrderStatus;
use shop_core::shipment::{ProviderLabelStatus as Said, ShipmentStatus};
use shop_tests::repeats;

use super::{Depot, paid};
use crate::core::fixture::START;

const SAID: [Said; 8] = [
    Said::InCart,
    Said::Paid,
    Said::Generated,
    Said::Posted,
    Said::Undelivered,
    Said::Delivered,
    Said::Cancelled,
    Said::Expired,
];

/// How far a parcel is; where it can be no longer, it is over.
fn place(status: ShipmentStatus) -> usize {
    let course = [
        ShipmentStatus::Generated,
        ShipmentStatus::Posted,
        ShipmentStatus::Returning,
        ShipmentStatus::Delivered,
    ];
    course.iter().position(|it| *it == status).unwrap_or(course.len())
}

fn order_place(status: OrderStatus) -> usize {
    [OrderStatus::Processing, OrderStatus::Shipped, OrderStatus::Delivered]
        .iter()
        .position(|it| *it == status)
        .expect("an order that is not closed")
}

/// Which parcel of two, and what is said of it.
fn histories() -> impl Strategy<Value = Vec<Vec<(usize, Said)>>> {
    let word = (0..2_usize, prop::sample::select(SAID.to_vec()));
    prop::collection::vec(prop::collection::vec(word, 1..12), 12)
}

async fn play(depot: &Depot, history: &[(usize, Said)], number: usize) {
    let order = paid(&depot.test, &depot.ana, &depot.vela).await;
    let ids = [format!("{number}0"), format!("{number}1")];
    for (parcel, id) in (1..).zip(&ids) {
        depot.label(&order.id, id, parcel);
        depot.carrier.say(id, Said::Generated, START);
    }
    let (mut places, mut order_was) = ([0, 0], 0);
    for (parcel, said) in history {
        depot.carrier.say(&ids[*parcel], *said, START);
        depot.later().await;
        for (was, id) in places.iter_mut().zip(&ids) {
            let now = place(depot.status(&id.as_str().into()).await);
            assert!(now >= *was, "{history:?} moved {id} back");
            *was = now;
        }
        let now = depot.test.shop.orders().get(&order.id).await.expect("there").status;
        assert!(order_place(now) >= order_was, "{history:?} moved the order back");
        order_was = order_place(now);
    }
    let told = |name: &str| {
        depot.test.count(&format!(
            "SELECT count(*) FROM event WHERE name = '{name}' AND payload LIKE '%{}%'",
            order.id
        ))
    };
    assert_eq!(told("order.shipped"), i64::from(order_was >= 1), "{history:?}");
    assert_eq!(told("order.delivered"), i64::from(order_was == 2), "{history:?}");
    let steps = depot.test.count(&format!(
        "SELECT count(*) FROM (SELECT kind FROM shipment_step
           WHERE shipment_id IN ('{}', '{}') GROUP BY shipment_id, kind HAVING count(*) > 1) twice",
        ids[0], ids[1]
    ));
    assert_eq!(steps, 0, "{history:?} has a step twice");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: repeats(3, 8), ..ProptestConfig::default() })]
    #[test]
    fn nothing_moves_back_and_nothing_is_told_twice(all in histories()) {
        let runtime = tokio::runtime::Runtime::new().expect("a runtime");
        runtime.block_on(async {
            let depot = Depot::open().await;
            for (number, history) in (1..).zip(&all) {
                play(&depot, history, number).await;
            }
            depot.test.check_books().await;
        });
    }
}
