//! Splits an amount over lines, to the cent: as invoices do it, and what goes back for a part of an
//! order.

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

    proptest! {
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
