//! Splits an amount over lines and over the units of a line, to the cent: as invoices do it, and
//! what goes back for a part of an order, so that both say the same amounts.

use super::Money;

/// An amount split in proportion to weights, by largest remainder; of equal remainders the first
/// line's comes first. The parts add up to the amount, and none is above its weight as long as the
/// amount is not above all weights together. Without any weight the first line takes all.
pub fn apportion(amount: Money, weights: &[Money]) -> Vec<Money> {
    let whole: i128 = weights.iter().map(|weight| i128::from(weight.cents())).sum();
    let mut parts: Vec<i64> = vec![0; weights.len()];
    if whole == 0 {
        if let Some(first) = parts.first_mut() {
            *first = amount.cents();
        }
        return parts.into_iter().map(Money::from_cents).collect();
    }
    let mut remainders = Vec::with_capacity(weights.len());
    for (place, weight) in weights.iter().enumerate() {
        let share = i128::from(amount.cents()) * i128::from(weight.cents());
        parts[place] = i64::try_from(share / whole).unwrap_or_default();
        remainders.push((std::cmp::Reverse(share % whole), place));
    }
    remainders.sort_unstable();
    let missing = amount.cents() - parts.iter().sum::<i64>();
    for (_, place) in remainders.into_iter().take(usize::try_from(missing).unwrap_or_default()) {
        parts[place] += 1;
    }
    parts.into_iter().map(Money::from_cents).collect()
}

/// So many units of a line, and what of the line's amount belongs to them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct UnitsShare {
    /// Units.
    pub units: i64,
    /// What belongs to them.
    pub amount: Money,
}

/// What of a line's amount belongs to so many units more. Each unit has the same share; the cents
/// that do not divide go to the units that are taken first. The parts come exactly to the line's
/// amount with its last unit, also where parts were given back in between, and no unit has more
/// than one cent above another.
pub fn share_of_units(line: UnitsShare, taken: UnitsShare, units: i64) -> Money {
    let (amount, of) = (line.amount.cents(), line.units.max(1));
    let (each, odd) = (amount / of, amount % of);
    let odd_left = odd - (taken.amount.cents() - each * taken.units);
    Money::from_cents(each * units + odd_left.clamp(0, units))
}

/// `amount * part / whole`, rounded down and no more than the amount: what is left over comes with
/// the last part. Of nothing there is no part.
pub fn portion(amount: Money, part: i64, whole: i64) -> Money {
    let whole = i128::from(whole.max(1));
    let cents = i128::from(amount.cents()) * i128::from(part) / whole;
    Money::from_cents(i64::try_from(cents).unwrap_or_default()).min(amount)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn split(amount: i64, weights: &[i64]) -> Vec<i64> {
        let weights: Vec<Money> = weights.iter().copied().map(Money::from_cents).collect();
        apportion(Money::from_cents(amount), &weights).into_iter().map(Money::cents).collect()
    }

    #[test]
    fn the_largest_remainders_get_the_cents_that_are_left() {
        assert_eq!(split(1850, &[5980, 4550, 2470]), [851, 648, 351]);
        assert_eq!(split(1, &[10, 10]), [1, 0]);
        assert_eq!(split(700, &[0, 0]), [700, 0]);
        assert_eq!(split(0, &[5]), [0]);
        assert!(split(5, &[]).is_empty());
    }

    fn share(units: i64, cents: i64) -> UnitsShare {
        UnitsShare { units, amount: Money::from_cents(cents) }
    }

    #[test]
    fn the_first_units_have_the_cents_that_do_not_divide() {
        let of_937 = |taken, units| share_of_units(share(3, 937), taken, units).cents();
        assert_eq!(of_937(share(0, 0), 1), 313);
        assert_eq!(of_937(share(1, 313), 1), 312);
        assert_eq!(of_937(share(2, 625), 1), 312);
        assert_eq!(of_937(share(0, 0), 3), 937);
    }

    proptest! {
        /// Parts are taken and given back in any order; what is out never differs from what its
        /// units have by more than the odd cents, and with the last unit it is the whole.
        #[test]
        fn shares_of_units_add_up_whatever_was_given_back_in_between(
            (of, amount) in (1_i64..12).prop_flat_map(|of| (Just(of), 0..=of * 50)),
            acts in prop::collection::vec((any::<bool>(), 0_usize..8, 1_i64..5), 0..30),
        ) {
            let line = share(of, amount);
            let mut out: Vec<UnitsShare> = Vec::new();
            let sum = |out: &[UnitsShare]| UnitsShare {
                units: out.iter().map(|it| it.units).sum(),
                amount: out.iter().map(|it| it.amount).sum(),
            };
            let take = |out: &mut Vec<UnitsShare>, units: i64| {
                out.push(UnitsShare { units, amount: share_of_units(line, sum(out), units) });
            };
            for (takes, nth, units) in acts {
                let left = of - sum(&out).units;
                if takes && left > 0 {
                    take(&mut out, units.min(left));
                } else if !out.is_empty() {
                    out.remove(nth % out.len());
                }
                for part in &out {
                    let each = amount / of * part.units;
                    prop_assert!((each..=each + part.units).contains(&part.amount.cents()));
                }
            }
            let left = of - sum(&out).units;
            if left > 0 {
                take(&mut out, left);
            }
            prop_assert_eq!(sum(&out), line);
        }

        #[test]
        fn parts_add_up_and_stay_below_their_weights(
            weights in prop::collection::vec(0_i64..10_000_000, 1..200),
            share in 0.0_f64..1.0,
        ) {
            let whole: i64 = weights.iter().sum();
            #[expect(clippy::cast_possible_truncation, clippy::cast_precision_loss, reason = "a test's dice")]
            let amount = (whole as f64 * share) as i64;
            let parts = split(amount, &weights);
            prop_assert_eq!(parts.iter().sum::<i64>(), amount);
            prop_assert!(parts.iter().zip(&weights).all(|(part, weight)| part <= weight));
        }
    }
}
