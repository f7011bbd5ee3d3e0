//! How goods are divided into boxes.
//!
//! A box takes goods when each unit fits in some rotation, all of them leave 15 % of its room free,
//! and the parcel is not heavier than the box may be. The free room stands for what lies between
//! goods of unlike shapes: the three tests are necessary for a real packing, not a proof of one.
//!
//! The work does not grow with quantities: equal units are divided with one division for each
//! parcel, so an order takes at most lines x parcels steps, and each parcel a look at
//! every box.

use std::cmp::Reverse;

use super::line::PackLine;
use super::plan::{PackedItem, PackedParcel, PackingPlan};
use crate::money::Money;
use crate::shipping::boxes::{BoxWarning, ShippingBox};
use crate::shipping::carrier::BOX;
use crate::value::{Length, Weight};

/// How much of a box's room goods may take, of 100.
const FILL: i128 = 85;
/// How many parcels an order has at most; what needs more is packed by hand.
const MAX_PARCELS: usize = 1000;

/// The sides of goods that say nothing of theirs, and of a parcel where the shop has no boxes.
const UNKNOWN: [Length; 3] = [
    Length::from_centimetres(BOX.length),
    Length::from_centimetres(BOX.width),
    Length::from_centimetres(BOX.height),
];

impl PackingPlan {
    /// Divides goods into the shop's boxes: the smallest box that takes all of them, else several,
    /// each as small as its goods allow. What fits no box travels by itself, in its own sides.
    /// Goods without sides count as 16 x 11 x 8 cm; where the shop has no boxes they share one
    /// parcel of that size.
    ///
    /// The order of boxes and lines does not matter. The plan is empty where more than 1,000
    /// parcels would be needed.
    #[must_use]
    pub fn pack(boxes: &[ShippingBox], lines: &[PackLine]) -> Self {
        let boxes = candidates(boxes);
        let goods = in_order(lines);
        let (boxed, alone): (Vec<_>, Vec<_>) = goods.into_iter().partition(|units| {
            let shares_plain_parcel = boxes.is_empty() && units.line.sides.is_none();
            shares_plain_parcel || boxes.iter().any(|each| each.room_for(units) > 0)
        });
        let needed: i64 = alone.iter().map(|units| units.left).sum();
        if usize::try_from(needed).is_ok_and(|needed| needed > MAX_PARCELS) {
            return Self::default();
        }
        let packed = if boxes.is_empty() { Some(plain(&boxed)) } else { divided(&boxes, boxed) };
        let Some(mut parcels) = packed else { return Self::default() };
        let by_themselves = alone.iter().flat_map(|units| (0..units.left).map(|_| units.sole()));
        parcels.extend(by_themselves);
        if parcels.len() > MAX_PARCELS { Self::default() } else { Self { parcels } }
    }
}

/// Equal units that are still to be packed.
#[derive(Debug, Clone)]
struct Units<'a> {
    line: &'a PackLine,
    /// From the longest to the shortest, in millimetres.
    sides: [i64; 3],
    /// Of one unit.
    volume: i128,
    left: i64,
}

impl<'a> Units<'a> {
    fn of(line: &'a PackLine) -> Self {
        let sides = sorted(line.sides.unwrap_or(UNKNOWN));
        Self { line, sides, volume: volume(sides), left: line.quantity }
    }

    /// So many of them, as a parcel names them.
    fn packed(&self, quantity: i64) -> PackedItem {
        let PackLine { product_id, variant_id, name, .. } = self.line;
        let (product_id, variant_id) = (product_id.clone(), variant_id.clone());
        PackedItem { product_id, variant_id, name: name.clone(), quantity }
    }

    /// One of them that is a parcel by itself.
    fn sole(&self) -> PackedParcel {
        parcel(None, self.sides, self.line.weight.grams(), self.line.price, vec![self.packed(1)])
    }
}

/// The largest goods first; what is equally large in the order of ids, so that the lines' own order
/// does not matter.
fn in_order(lines: &[PackLine]) -> Vec<Units<'_>> {
    let mut goods: Vec<Units<'_>> =
        lines.iter().filter(|line| line.quantity > 0).map(Units::of).collect();
    goods.sort_by_cached_key(|units| {
        let PackLine { product_id, variant_id, weight, quantity, .. } = units.line;
        let size = Reverse((units.volume, units.sides, *weight));
        (size, product_id.clone(), variant_id.clone(), *quantity)
    });
    goods
}

/// A box with what it takes.
#[derive(Debug, Clone, Copy)]
struct Candidate<'a> {
    of: &'a ShippingBox,
    inner: [i64; 3],
    outer: [i64; 3],
    /// How much carriers dislike its sides: 0 not at all, 1 they charge extra, 2 Correios refuse
    /// it.
    awkward: u8,
    /// What its goods may take up.
    room: i128,
    /// What its goods may weigh, in grams.
    carries: i64,
}

/// Boxes from the smallest to the largest, by what carriers charge for: the outer room. Those whose
/// sides cost extra, or whose sides Correios refuse, come behind all others.
fn candidates(boxes: &[ShippingBox]) -> Vec<Candidate<'_>> {
    let mut candidates: Vec<Candidate<'_>> = boxes.iter().map(Candidate::of).collect();
    candidates.sort_by_cached_key(|each| {
        let of = each.of;
        (
            each.awkward,
            volume(each.outer),
            each.room,
            of.tare_weight,
            each.carries,
            of.name.clone(),
            of.id.clone(),
        )
    });
    candidates
}

impl<'a> Candidate<'a> {
    fn of(of: &'a ShippingBox) -> Self {
        let inner = sorted([of.inner_length, of.inner_width, of.inner_height]);
        let outer = sorted([of.outer_length, of.outer_width, of.outer_height]);
        let carries = of.max_weight.grams() - of.tare_weight.grams();
        let warnings = of.warnings();
        let awkward = if warnings.contains(&BoxWarning::TooLargeForCorreios) {
            2
        } else {
            u8::from(warnings.contains(&BoxWarning::SurchargeAbove70Cm))
        };
        Self { of, inner, outer, awkward, room: volume(inner) * FILL / 100, carries }
    }

    /// How many of these units the empty box takes.
    fn room_for(&self, units: &Units<'_>) -> i64 {
        self.more(units, 0, 0)
    }

    /// How many more of these units it takes beside goods of this volume and weight.
    fn more(&self, units: &Units<'_>, volume: i128, grams: i64) -> i64 {
        if units.sides.iter().zip(self.inner).any(|(side, inner)| *side > inner) {
            return 0;
        }
        let by_room = i64::try_from((self.room - volume) / units.volume.max(1)).unwrap_or(i64::MAX);
        match units.line.weight.grams() {
            0 => by_room,
            each => by_room.min((self.carries - grams) / each),
        }
        .max(0)
    }

    /// Whether it takes all of these goods at once.
    fn takes(&self, goods: &[(Units<'_>, i64)]) -> bool {
        let (mut volume, mut grams) = (0, 0);
        for (units, quantity) in goods {
            if self.more(units, volume, grams) < *quantity {
                return false;
            }
            volume += units.volume * i128::from(*quantity);
            grams += units.line.weight.grams() * quantity;
        }
        true
    }
}

/// A box that is being filled.
struct Open<'a> {
    each: Candidate<'a>,
    goods: Vec<(Units<'a>, i64)>,
    volume: i128,
    grams: i64,
}

impl<'a> Open<'a> {
    fn new(each: Candidate<'a>) -> Self {
        Self { each, goods: Vec::new(), volume: 0, grams: 0 }
    }

    /// Takes as many of the units as it has room for.
    fn fill(&mut self, units: &mut Units<'a>) {
        let taken = self.each.more(units, self.volume, self.grams).min(units.left);
        if taken > 0 {
            self.volume += units.volume * i128::from(taken);
            self.grams += units.line.weight.grams() * taken;
            units.left -= taken;
            self.goods.push((units.clone(), taken));
        }
    }

    /// The parcel, in the smallest box that takes what is in it.
    fn closed(self, boxes: &[Candidate<'a>]) -> PackedParcel {
        let smallest = boxes.iter().find(|each| each.takes(&self.goods)).unwrap_or(&self.each);
        let grams = self.grams + smallest.of.tare_weight.grams();
        let (value, items) = contents(&self.goods);
        parcel(Some(smallest.of.name.clone()), smallest.outer, grams, value, items)
    }
}

/// Goods that each fit a box: all in the smallest box that takes them, else first fit, largest
/// goods first, into the largest box that takes them. None where that makes too many parcels.
fn divided<'a>(boxes: &[Candidate<'a>], goods: Vec<Units<'a>>) -> Option<Vec<PackedParcel>> {
    let mut open: Vec<Open<'a>> = Vec::new();
    let whole: Vec<(Units<'a>, i64)> = goods.iter().map(|it| (it.clone(), it.left)).collect();
    let one = boxes.iter().find(|each| !whole.is_empty() && each.takes(&whole));
    open.extend(one.copied().map(Open::new));
    for mut units in goods {
        for parcel in &mut open {
            parcel.fill(&mut units);
        }
        while units.left > 0 {
            let largest = boxes.iter().filter(|each| each.room_for(&units) > 0);
            let largest = largest.max_by_key(|each| (Reverse(each.awkward), each.room))?;
            if open.len() == MAX_PARCELS {
                return None;
            }
            let mut parcel = Open::new(*largest);
            parcel.fill(&mut units);
            open.push(parcel);
        }
    }
    Some(open.into_iter().map(|parcel| parcel.closed(boxes)).collect())
}

/// The one parcel of a shop without boxes.
fn plain(goods: &[Units<'_>]) -> Vec<PackedParcel> {
    if goods.is_empty() {
        return Vec::new();
    }
    let goods: Vec<(Units<'_>, i64)> = goods.iter().map(|it| (it.clone(), it.left)).collect();
    let grams = goods.iter().map(|(units, n)| units.line.weight.grams() * n).sum();
    let (value, items) = contents(&goods);
    vec![parcel(None, sorted(UNKNOWN), grams, value, items)]
}

/// What goods are worth, and how a parcel names them.
fn contents(goods: &[(Units<'_>, i64)]) -> (Money, Vec<PackedItem>) {
    let value = goods.iter().map(|(units, n)| units.line.price * *n).sum();
    (value, goods.iter().map(|(units, n)| units.packed(*n)).collect())
}

fn parcel(
    box_name: Option<String>,
    outer: [i64; 3],
    grams: i64,
    value: Money,
    items: Vec<PackedItem>,
) -> PackedParcel {
    let [length, width, height] = outer.map(Length::from_millimetres);
    PackedParcel {
        box_name,
        length,
        width,
        height,
        weight: Weight::from_grams(grams),
        value,
        items,
    }
}

/// Three sides in millimetres, the longest first.
fn sorted(sides: [Length; 3]) -> [i64; 3] {
    let mut sides = sides.map(Length::millimetres);
    sides.sort_unstable_by_key(|side| Reverse(*side));
    sides
}

fn volume(sides: [i64; 3]) -> i128 {
    sides.into_iter().map(i128::from).product()
}
