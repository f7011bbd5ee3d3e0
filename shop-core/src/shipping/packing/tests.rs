//! What the packing promises, and twenty carts with the boxes that a person would take.

use proptest::collection::vec;
use proptest::prelude::*;

use super::{PackLine, PackedParcel, PackingPlan};
use crate::money::Money;
use crate::shipping::{NewShippingBox, ShippingBox};
use crate::value::{Length, Weight};

type Sides = [i64; 3];

fn centimetres(sides: Sides) -> [Length; 3] {
    sides.map(|side| Length::from_millimetres(side * 10))
}

/// A box whose walls are half a centimetre thick.
fn shop_box(name: &str, inner: Sides, tare: i64, most: i64) -> ShippingBox {
    let [inner_length, inner_width, inner_height] = centimetres(inner);
    let [outer_length, outer_width, outer_height] =
        inner.map(|side| Length::from_millimetres(side * 10 + 10));
    let (tare_weight, max_weight) = (Weight::from_grams(tare), Weight::from_grams(most));
    let new = NewShippingBox {
        name: name.parse().expect("a name"),
        inner_length,
        inner_width,
        inner_height,
        outer_length,
        outer_width,
        outer_height,
        tare_weight,
        max_weight,
    };
    ShippingBox::new(name.into(), &new)
}

fn goods(id: &str, sides: Option<Sides>, grams: i64, quantity: i64) -> PackLine {
    PackLine {
        product_id: id.into(),
        variant_id: None,
        name: id.to_owned(),
        quantity,
        weight: Weight::from_grams(grams),
        sides: sides.map(centimetres),
        price: Money::from_cents(1000),
    }
}

/// The boxes of a candle shop.
fn shelf() -> Vec<ShippingBox> {
    vec![
        shop_box("G", [40, 30, 25], 400, 15_000),
        shop_box("envelope", [24, 16, 3], 30, 1000),
        shop_box("P", [20, 15, 10], 120, 5000),
        shop_box("M", [30, 22, 15], 220, 10_000),
        shop_box("tubo", [90, 8, 8], 150, 3000),
    ]
}

/// The names of the boxes, `-` for goods that travel without one.
fn taken(plan: &PackingPlan) -> Vec<&str> {
    plan.parcels.iter().map(|parcel| parcel.box_name.as_deref().unwrap_or("-")).collect()
}

const CANDLE: Sides = [8, 8, 9];
const GIFT: Sides = [25, 18, 12];
const POSTER: Sides = [70, 6, 6];

#[test]
fn twenty_carts_travel_in_the_boxes_that_a_person_would_take() {
    let sachet = |n| goods("sachet", Some([10, 8, 1]), 40, n);
    let candle = |n| goods("candle", Some(CANDLE), 300, n);
    let gift = |n| goods("gift", Some(GIFT), 1200, n);
    let poster = |n| goods("poster", Some(POSTER), 200, n);
    let iron = |n| goods("iron", Some([10, 10, 10]), 4900, n);
    let unknown = |n| goods("unknown", None, 300, n);
    let table = goods("table", Some([60, 50, 10]), 8000, 1);
    let carts: [(&str, Vec<PackLine>, &[&str]); 20] = [
        ("a sachet is flat", vec![sachet(1)], &["envelope"]),
        ("twelve sachets fill the envelope", vec![sachet(12)], &["envelope"]),
        ("thirteen do not fit it any more", vec![sachet(13)], &["P"]),
        ("a candle is too high for it", vec![candle(1)], &["P"]),
        ("four candles leave room", vec![candle(4)], &["P"]),
        ("five do not", vec![candle(5)], &["M"]),
        ("a candle and sachets", vec![candle(1), sachet(5)], &["P"]),
        ("fourteen candles", vec![candle(14)], &["M"]),
        ("fifteen candles", vec![candle(15)], &["G"]),
        ("forty-four candles", vec![candle(44)], &["G"]),
        ("fifty candles", vec![candle(50)], &["G", "M"]),
        ("a gift box", vec![gift(1)], &["M"]),
        ("a gift box with candles", vec![gift(1), candle(5)], &["M"]),
        ("two gift boxes", vec![gift(2)], &["G"]),
        ("a poster needs the tube", vec![poster(1)], &["tubo"]),
        ("a candle goes along in the tube", vec![poster(1), candle(1)], &["tubo"]),
        ("iron is heavy, not large", vec![iron(1)], &["M"]),
        ("four pieces of iron", vec![iron(4)], &["G", "G"]),
        ("a table fits no box", vec![table, candle(1)], &["P", "-"]),
        ("unknown goods count as 16 x 11 x 8 cm", vec![unknown(2)], &["M"]),
    ];
    for (cart, lines, boxes) in carts {
        assert_eq!(taken(&PackingPlan::pack(&shelf(), &lines)), boxes, "{cart}");
    }
}

#[test]
fn a_parcel_has_the_boxs_outer_sides_and_its_weight() {
    let plan = PackingPlan::pack(&shelf(), &[goods("candle", Some(CANDLE), 300, 2)]);
    let PackedParcel { length, width, height, weight, value, items, .. } = &plan.parcels[0];
    assert_eq!([length, width, height].map(|side| side.millimetres()), [210, 160, 110]);
    assert_eq!((weight.grams(), value.cents()), (720, 2000));
    assert_eq!((items[0].name.as_str(), items[0].quantity), ("candle", 2));
}

#[test]
fn a_shop_without_boxes_and_sides_has_one_plain_parcel_however_much_it_is() {
    let plan = PackingPlan::pack(&[], &[goods("a", None, 300, 7), goods("b", None, 100, 999)]);
    let parcel = &plan.parcels[0];
    assert_eq!((plan.parcels.len(), parcel.weight.grams()), (1, 300 * 7 + 100 * 999));
    let sides = [parcel.length, parcel.width, parcel.height].map(Length::millimetres);
    assert_eq!((sides, parcel.value.cents()), ([160, 110, 80], 1000 * 1006));
}

#[test]
fn what_needs_more_parcels_than_anybody_packs_has_no_plan() {
    assert!(PackingPlan::pack(&[], &[goods("a", Some(GIFT), 1, 1001)]).parcels.is_empty());
    assert_eq!(PackingPlan::pack(&[], &[goods("a", Some(GIFT), 1, 1000)]).parcels.len(), 1000);
    let candles = goods("candle", Some(CANDLE), 300, 1_000_000);
    assert!(PackingPlan::pack(&shelf(), &[candles]).parcels.is_empty());
}

/// An order of the most different lines, each of so many units that counting them one by one would
/// never end: quantities are divided.
#[test]
fn the_work_does_not_grow_with_quantities() {
    const MANY: i64 = 1_000_000_000_000;
    let lines: Vec<PackLine> = (1..=200)
        .map(|n| goods(&format!("{n}"), Some([1 + n % 9, 1 + n % 7, 1 + n % 5]), n, MANY))
        .collect();
    let boxes: Vec<ShippingBox> = (1..=100)
        .map(|n| shop_box(&format!("{n}"), [10 + n % 40, 10 + n % 30, 10 + n % 20], 100, 30_000))
        .collect();
    assert!(PackingPlan::pack(&boxes, &lines).parcels.is_empty());
}

fn any_box() -> impl Strategy<Value = ShippingBox> {
    ("[a-z]{6}", [5..60i64, 5..60i64, 5..60i64], 0..500i64, 501..30_000i64)
        .prop_map(|(name, inner, tare, most)| shop_box(&name, inner, tare, most))
}

fn any_goods() -> impl Strategy<Value = PackLine> {
    let sides = proptest::option::weighted(0.9, [1..70i64, 1..40i64, 1..30i64]);
    ("[a-z]{6}", sides, 0..4000i64, 1..=100i64)
        .prop_map(|(id, sides, grams, quantity)| goods(&id, sides, grams, quantity))
}

/// Sides of a unit as packing counts them, longest first, in millimetres.
fn sides_of(line: &PackLine) -> Sides {
    let mut sides = line.sides.unwrap_or(centimetres([16, 11, 8])).map(Length::millimetres);
    sides.sort_unstable();
    sides.reverse();
    sides
}

proptest! {
    #[test]
    fn nothing_is_packed_that_does_not_fit(
        boxes in vec(any_box(), 0..6), lines in vec(any_goods(), 1..8),
    ) {
        let plan = PackingPlan::pack(&boxes, &lines);
        for parcel in plan.parcels.iter().filter(|parcel| parcel.box_name.is_some()) {
            let of = boxes.iter().find(|it| Some(&it.name) == parcel.box_name.as_ref());
            let of = of.expect("a box of the shop");
            let mut inner = [of.inner_length, of.inner_width, of.inner_height]
                .map(Length::millimetres);
            inner.sort_unstable();
            inner.reverse();
            let mut volume = 0;
            for item in &parcel.items {
                let line = lines.iter().find(|line| line.product_id == item.product_id);
                let sides = sides_of(line.expect("goods of the order"));
                prop_assert!(sides.iter().zip(inner).all(|(side, inner)| *side <= inner));
                volume += sides.iter().product::<i64>() * item.quantity;
            }
            prop_assert!(volume * 100 <= inner.iter().product::<i64>() * 85);
            prop_assert!(parcel.weight <= of.max_weight);
        }
    }

    #[test]
    fn every_unit_is_packed_once_and_no_parcel_is_empty(
        boxes in vec(any_box(), 0..6), lines in vec(any_goods(), 1..8),
    ) {
        let plan = PackingPlan::pack(&boxes, &lines);
        let units: i64 = lines.iter().map(|line| line.quantity).sum();
        let parcels = i64::try_from(plan.parcels.len()).expect("few");
        prop_assert!(parcels <= units, "no more boxes than one an item");
        prop_assert!(plan.parcels.iter().all(|parcel| !parcel.items.is_empty()));
        for line in &lines {
            let ordered = lines.iter().filter(|it| it.product_id == line.product_id);
            let ordered: i64 = ordered.map(|it| it.quantity).sum();
            let items = plan.parcels.iter().flat_map(|parcel| &parcel.items);
            let packed = items.filter(|item| item.product_id == line.product_id);
            prop_assert_eq!(packed.map(|item| item.quantity).sum::<i64>(), ordered);
        }
        let value: Money = plan.parcels.iter().map(|parcel| parcel.value).sum();
        prop_assert_eq!(value.cents(), units * 1000);
    }

    #[test]
    fn the_same_goods_travel_in_the_same_boxes_whatever_their_order(
        (boxes, shuffled_boxes) in vec(any_box(), 0..6)
            .prop_flat_map(|boxes| (Just(boxes.clone()), Just(boxes).prop_shuffle())),
        (lines, shuffled) in vec(any_goods(), 1..8)
            .prop_flat_map(|lines| (Just(lines.clone()), Just(lines).prop_shuffle())),
    ) {
        let plan = PackingPlan::pack(&boxes, &lines);
        prop_assert_eq!(plan, PackingPlan::pack(&shuffled_boxes, &shuffled));
    }
}
