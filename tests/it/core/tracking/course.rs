//! What an order makes of where its parcels are.

use shop_core::order::{OrderActor, OrderStatus};
use shop_core::shipment::{ProviderLabel, ProviderLabelStatus as Said, ShipmentStatus};

use super::carrier::code;
use super::{DAY, Depot, HOUR};
use crate::core::fixture::START;

/// The text of the latest mail of a kind, as the shop keeps it.
async fn subjects(depot: &Depot) -> Vec<String> {
    let mails = depot.test.shop.orders().list_mails(&depot.order.id).await.expect("mails");
    mails.into_iter().map(|it| it.subject.unwrap_or(it.kind)).collect()
}

#[tokio::test]
async fn a_parcel_that_is_posted_sends_its_order_with_the_code_and_one_that_arrives_delivers_it() {
    let depot = Depot::open().await;
    let parcel = depot.label(&depot.order.id, "1", 1);
    depot.carrier.say("1", Said::Generated, START);
    assert_eq!(depot.later().await, 1);
    assert_eq!(
        (depot.status(&parcel).await, depot.events("shipment.updated")),
        (ShipmentStatus::Generated, 1)
    );
    assert_eq!(depot.order_now().await.status, OrderStatus::Processing);

    let posted = START.plus(HOUR);
    depot.carrier.say("1", Said::Posted, posted);
    depot.later().await;
    let order = depot.order_now().await;
    assert_eq!(order.status, OrderStatus::Shipped);
    assert_eq!(order.tracking_code, Some(code("1")));
    assert_eq!(order.carrier.as_deref(), Some("Correios SEDEX"));
    let it = depot.get(&parcel).await;
    assert_eq!((it.status, it.posted_at), (ShipmentStatus::Posted, Some(posted)));
    // Two working days after a Saturday: the Tuesday, from its beginning in São Paulo.
    assert_eq!(it.expected_at, Some(START.minus(12 * HOUR).plus(3 * DAY)));
    let page = format!("https://rastreamento.correios.com.br/app/index.php?objetos={}", code("1"));
    assert_eq!(it.tracking_url, Some(page));
    assert_eq!((depot.events("order.shipped"), depot.mails("order-shipped")), (1, 1));

    let delivered = START.plus(2 * HOUR);
    depot.carrier.say("1", Said::Delivered, delivered);
    depot.later().await;
    assert_eq!(depot.order_now().await.status, OrderStatus::Delivered);
    let it = depot.get(&parcel).await;
    assert_eq!((it.status, it.delivered_at), (ShipmentStatus::Delivered, Some(delivered)));
    assert_eq!((depot.events("order.delivered"), depot.mails("order-delivered")), (1, 1));
    let steps: Vec<(&str, _)> = it.steps.iter().map(|it| (it.kind.as_str(), it.at)).collect();
    assert_eq!(steps, [("POSTED", posted), ("DELIVERED", delivered)]);
    let detail = depot.test.shop.orders().get_detail(&depot.order.id).await.expect("there");
    let moved: Vec<_> = detail.history.iter().skip(1).map(|it| (it.status, it.actor)).collect();
    assert_eq!(
        moved,
        [
            (OrderStatus::Shipped, OrderActor::Carrier),
            (OrderStatus::Delivered, OrderActor::Carrier)
        ]
    );
    // What is over is not asked about, and nothing is told twice.
    assert_eq!(depot.later().await, 0);
    assert_eq!(depot.events("shipment.updated"), 3);
    depot.test.check_books().await;
}

#[tokio::test]
async fn the_mail_leads_to_the_page_that_follows_each_parcel() {
    let depot = Depot::open().await;
    depot.label(&depot.order.id, "1", 1);
    let mut label = ProviderLabel::new("1", Said::Posted, "18.00".parse().expect("an amount"));
    label.tracking_code = Some("ME123BR".to_owned());
    label.tracking_url = Some("https://www.melhorrastreio.com.br/rastreio/ME123BR".to_owned());
    depot.carrier.tell(label);
    depot.later().await;
    let kept = depot.test.data.rows("SELECT letter FROM mail WHERE kind = 'order-shipped'");
    let told = kept[0][0].as_deref().expect("a letter");
    assert!(told.contains("melhorrastreio.com.br/rastreio/ME123BR"), "{told}");
}

#[tokio::test]
async fn an_order_is_sent_with_its_first_parcel_and_delivered_with_its_last() {
    let depot = Depot::open().await;
    let (one, two) = (depot.label(&depot.order.id, "1", 1), depot.label(&depot.order.id, "2", 2));
    depot.carrier.say("1", Said::Generated, START);
    depot.carrier.say("2", Said::Posted, START);
    depot.later().await;
    assert_eq!(depot.order_now().await.tracking_code, Some(code("2")));
    depot.carrier.say("1", Said::Posted, START);
    depot.later().await;
    // The second code is told by a mail of its own; the order shows the first.
    let order = depot.order_now().await;
    assert_eq!((order.status, order.tracking_code), (OrderStatus::Shipped, Some(code("2"))));
    let number = &depot.order.order_number;
    let told = subjects(&depot).await;
    let further = format!("Mais um volume do seu pedido {number} foi enviado");
    assert_eq!(told.iter().filter(|it| **it == further).count(), 1, "{told:?}");
    assert_eq!((depot.events("order.shipped"), depot.mails("order-shipped")), (1, 1));
    depot.carrier.say("2", Said::Delivered, START.plus(HOUR));
    depot.later().await;
    assert_eq!(depot.status(&two).await, ShipmentStatus::Delivered);
    assert_eq!(depot.order_now().await.status, OrderStatus::Shipped);
    depot.carrier.say("1", Said::Delivered, START.plus(HOUR));
    depot.later().await;
    assert_eq!(depot.status(&one).await, ShipmentStatus::Delivered);
    assert_eq!(depot.order_now().await.status, OrderStatus::Delivered);
    assert_eq!(depot.events("order.delivered"), 1);
}

#[tokio::test]
async fn units_without_a_parcel_keep_an_order_from_being_delivered() {
    let depot = Depot::open().await;
    depot.label(&depot.order.id, "1", 1);
    depot.test.raw_sql(
        "UPDATE shipment SET content = replace(content, '\"quantity\":2', '\"quantity\":1')",
    );
    depot.carrier.say("1", Said::Delivered, START);
    depot.later().await;
    assert_eq!(depot.order_now().await.status, OrderStatus::Shipped);
}

#[tokio::test]
async fn what_staff_say_of_an_order_stays() {
    let depot = Depot::open().await;
    let parcel = depot.label(&depot.order.id, "1", 1);
    depot.test.raw_sql("UPDATE orders SET tracking_code = 'OWN', carrier = 'Motoboy'");
    depot.carrier.say("1", Said::Posted, START);
    depot.later().await;
    let order = depot.order_now().await;
    assert_eq!((order.status, order.carrier.as_deref()), (OrderStatus::Shipped, Some("Motoboy")));
    // Staff take it back: the carrier says nothing new, so it stays.
    depot.set(OrderStatus::Processing).await;
    depot.later().await;
    assert_eq!(depot.order_now().await.status, OrderStatus::Processing);
    for closed in [OrderStatus::Cancelled, OrderStatus::Refunded] {
        depot.set(closed).await;
        depot
            .test
            .raw_sql("UPDATE shipment SET status = 'POSTED', delivered_at = NULL, check_at = 0");
        depot.carrier.say("1", Said::Delivered, START);
        depot.later().await;
        assert_eq!(depot.status(&parcel).await, ShipmentStatus::Delivered);
        assert_eq!(depot.order_now().await.status, closed);
    }
    assert_eq!(depot.events("order.delivered"), 0);
}

#[tokio::test]
async fn a_code_that_comes_later_takes_the_place_of_the_first() {
    let depot = Depot::open().await;
    let parcel = depot.label(&depot.order.id, "1", 1);
    let told = |text: &str| {
        let mut label = ProviderLabel::new("1", Said::Posted, "18.00".parse().expect("an amount"));
        label.service_name = Some("Jadlog .Package".to_owned());
        label.tracking_code = Some(text.to_owned());
        label
    };
    depot.carrier.tell(told("ME1BR"));
    depot.later().await;
    depot.carrier.tell(told("0912"));
    depot.later().await;
    assert_eq!(depot.order_now().await.tracking_code.as_deref(), Some("0912"));
    let it = depot.get(&parcel).await;
    assert!(it.tracking_url.is_some_and(|url| url.contains("jadlog") && url.ends_with("0912")));
    // The event tells of it, the customer is not sent another mail.
    assert_eq!((depot.events("shipment.updated"), depot.mails("order-shipped")), (2, 1));
}

#[tokio::test]
async fn a_parcel_that_comes_back_moves_no_order_and_may_still_arrive() {
    let depot = Depot::open().await;
    let parcel = depot.label(&depot.order.id, "1", 1);
    depot.carrier.say("1", Said::Undelivered, START);
    depot.later().await;
    assert_eq!(depot.status(&parcel).await, ShipmentStatus::Returning);
    assert_eq!(depot.order_now().await.status, OrderStatus::Shipped);
    depot.carrier.say("1", Said::Posted, START);
    depot.later().await;
    assert_eq!(depot.status(&parcel).await, ShipmentStatus::Returning);
    depot.carrier.say("1", Said::Delivered, START);
    depot.later().await;
    assert_eq!(depot.order_now().await.status, OrderStatus::Delivered);
}

#[tokio::test]
async fn a_label_that_was_given_back_or_ran_out_elsewhere_frees_its_parcel() {
    for (said, status) in
        [(Said::Cancelled, ShipmentStatus::Cancelled), (Said::Expired, ShipmentStatus::Expired)]
    {
        let depot = Depot::open().await;
        let parcel = depot.label(&depot.order.id, "1", 1);
        depot.carrier.say("1", said, START);
        depot.later().await;
        let it = depot.get(&parcel).await;
        assert_eq!((it.status, it.cancelled_at), (status, Some(START.plus(HOUR))));
        assert_eq!(depot.order_now().await.status, OrderStatus::Processing);
        assert_eq!(depot.events("shipment.updated"), 1);
        depot.label(&depot.order.id, "2", 1);
        depot.carrier.say("2", Said::Posted, START);
        depot.later().await;
        assert_eq!(depot.order_now().await.status, OrderStatus::Shipped);
    }
}

#[tokio::test]
async fn a_time_that_is_to_come_is_taken_for_now() {
    let depot = Depot::open().await;
    let parcel = depot.label(&depot.order.id, "1", 1);
    depot.carrier.say("1", Said::Posted, START.plus(30 * DAY));
    depot.later().await;
    assert_eq!(depot.get(&parcel).await.posted_at, Some(START.plus(HOUR)));
}
