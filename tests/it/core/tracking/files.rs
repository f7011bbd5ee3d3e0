//! The files of labels, as their provider hands them out.

use shop_core::error::{Error, Refusal};
use shop_core::id::ShipmentId;

use super::Depot;
use crate::fakes::melhor_envio::pdf;

#[tokio::test]
async fn a_single_file_is_printed_as_it_came_and_among_several_the_broken_one_is_named() {
    let depot = Depot::open().await;
    let ids = [depot.label(&depot.order.id, "1", 1), depot.label(&depot.order.id, "2", 2)];
    let broken = b"%PDF-1.4 and nothing that could be read".to_vec();
    depot.carrier.office().files.insert("1".to_owned(), pdf::of("one"));
    depot.carrier.office().files.insert("2".to_owned(), broken.clone());
    let print = async |ids: &[ShipmentId]| depot.test.shop.shipments().print(ids).await;
    assert_eq!(print(&ids[1..]).await.expect("printed"), broken);
    let named =
        Refusal::LabelUnreadable { order_number: depot.order.order_number.clone(), parcel: 2 };
    let refused = print(&ids).await.expect_err("refused");
    assert!(matches!(&refused, Error::Refused(refusal) if *refusal == named), "{refused:?}");
    depot.carrier.office().files.insert("2".to_owned(), pdf::of("two"));
    print(&ids).await.expect("both");
}
