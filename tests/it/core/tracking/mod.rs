//! Parcels on their way: what carriers say of them, what their orders make of it, what customers
//! see, and what waits for staff.

mod asking;
mod carrier;
mod course;
mod files;
mod histories;
mod told;
mod troubles;
mod views;

use std::time::Duration;

use shop_core::Shop;
use shop_core::id::{OrderId, ProductId, ShipmentId};
use shop_core::order::{Order, OrderStatus};
use shop_core::shipment::{Shipment, ShipmentStatus};

use self::carrier::Carrier;
use super::fixture::{Buyer, START, TestShop};

const HOUR: Duration = Duration::from_secs(60 * 60);
const DAY: Duration = Duration::from_secs(24 * 60 * 60);

/// A shop with a buyer, and a paid order of two candles; its labels are of a carrier that tests
/// play.
struct Depot {
    test: TestShop,
    carrier: Carrier,
    ana: Buyer,
    vela: ProductId,
    order: Order,
}

impl Depot {
    async fn open() -> Self {
        let test = TestShop::open().await;
        let carrier = Carrier::default();
        let shop = with_carrier(&test, &carrier).await;
        let test = TestShop { shop, ..test };
        let ana = test.buyer("ana").await;
        let vela = test.product("vela", 10_000, 4990).await;
        let order = paid(&test, &ana, &vela).await;
        Self { test, carrier, ana, vela, order }
    }

    /// A label for all of an order, made and not used yet; to be asked about now.
    fn label(&self, order: &OrderId, id: &str, number: i64) -> ShipmentId {
        label(&self.test, order, id, number);
        id.into()
    }

    /// Lets an hour pass, and asks about what is due.
    async fn later(&self) -> usize {
        self.test.clock.advance(HOUR);
        self.test.shop.shipments().track_due().await.expect("a round").asked
    }

    async fn get(&self, id: &ShipmentId) -> Shipment {
        self.test.shop.shipments().get(id).await.expect("there")
    }

    async fn status(&self, id: &ShipmentId) -> ShipmentStatus {
        self.get(id).await.status
    }

    async fn order_now(&self) -> Order {
        self.test.shop.orders().get(&self.order.id).await.expect("there")
    }

    async fn set(&self, status: OrderStatus) {
        self.test.shop.orders().set_status(&self.order.id, status, None).await.expect("set");
    }

    /// How many events of a name there were.
    fn events(&self, name: &str) -> i64 {
        self.test.count(&format!("SELECT count(*) FROM event WHERE name = '{name}'"))
    }

    fn mails(&self, kind: &str) -> i64 {
        self.test.count(&format!("SELECT count(*) FROM mail WHERE kind = '{kind}'"))
    }
}

async fn paid(test: &TestShop, ana: &Buyer, vela: &ProductId) -> Order {
    let order = test.buy(ana, vela, 2).await.expect("placed");
    test.shop.sandbox().pay(&order.order_number).await.expect("paid")
}

/// The shop once more, with a carrier, as another server would open it.
async fn with_carrier(test: &TestShop, carrier: &Carrier) -> Shop {
    let builder = Shop::builder(test.shop.config().clone()).clock(test.clock.clone());
    builder.label_provider(carrier.clone()).open().await.expect("opens")
}

fn label(test: &TestShop, order: &OrderId, id: &str, number: i64) {
    let now = test.shop.now().millis();
    let made = format!(
        "label_id = '{id}', paid_at = {now}, generated_at = {now}, check_at = {now}, price = 1800"
    );
    test.raw_sql(&parcel(order, id, number, "GENERATED", &made));
}

/// A statement that writes a shipment of an order's first line, as buying and tracking leave one;
/// with further values as `column = value`.
pub(crate) fn parcel(
    order: &OrderId,
    id: &str,
    number: i64,
    status: &str,
    further: &str,
) -> String {
    let now = START.millis();
    let further = if further.is_empty() {
        String::new()
    } else {
        format!("UPDATE shipment SET {further} WHERE id = '{id}';")
    };
    format!(
        "INSERT INTO shipment (id, order_id, order_number, parcel, status, provider, reference,
           service, service_name, declared_value, content, created_at, updated_at)
         SELECT '{id}', o.id, o.number, {number}, '{status}', 'sandbox', 'ref-{id}', '2',
           'Correios SEDEX', i.total,
           '{{\"sides\":[200,150,100],\"grams\":750,\"items\":[{{\"product\":\"' || i.product_id
             || '\",\"variant\":null,\"name\":\"Vela\",\"quantity\":' || i.quantity
             || ',\"cents\":4990,\"grams\":300}}]}}', {now}, {now}
         FROM orders o, order_item i WHERE o.id = '{order}' AND i.order_id = o.id
           AND i.position = 1;
         {further}"
    )
}
