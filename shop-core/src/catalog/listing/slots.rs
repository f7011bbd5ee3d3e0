//! Sets of products, one bit each.

use std::sync::Arc;

/// A set of slots of the index.
#[derive(Debug, Clone, Default)]
pub(super) struct SlotSet(Vec<u64>);

impl SlotSet {
    /// Takes a slot in, or out.
    pub(super) fn set(&mut self, slot: usize, is_in: bool) {
        if self.0.len() <= slot / 64 {
            self.0.resize(slot / 64 + 1, 0);
        }
        let bit = 1 << (slot % 64);
        if is_in {
            self.0[slot / 64] |= bit;
        } else {
            self.0[slot / 64] &= !bit;
        }
    }

    /// Keeps those that another set has too.
    pub(super) fn keep_those_of(&mut self, other: &Self) {
        for (word, of_other) in self.0.iter_mut().zip(&other.0) {
            *word &= of_other;
        }
    }

    /// Keeps those whose value in a column is wanted.
    pub(super) fn keep<T: Copy>(&mut self, column: &[T], is_wanted: impl Fn(T) -> bool) {
        for (word, values) in self.0.iter_mut().zip(column.chunks(64)) {
            if *word != 0 {
                *word &= bits(values, &is_wanted);
            }
        }
    }

    pub(super) fn len(&self) -> usize {
        self.0.iter().map(|word| word.count_ones() as usize).sum()
    }

    pub(super) fn contains(&self, slot: usize) -> bool {
        self.0.get(slot / 64).is_some_and(|word| word >> (slot % 64) & 1 == 1)
    }

    /// Its slots, rising.
    pub(super) fn slots(&self) -> impl Iterator<Item = usize> {
        let words = self.0.iter().enumerate();
        words.flat_map(|(place, word)| {
            (0..64).filter(move |bit| word >> bit & 1 == 1).map(move |bit| place * 64 + bit)
        })
    }

    /// The highest slots but `offset`, from the highest on.
    pub(super) fn latest(&self, mut offset: usize, limit: usize) -> Vec<u32> {
        let mut latest = Vec::with_capacity(limit);
        for (place, word) in self.0.iter().enumerate().rev() {
            let here = word.count_ones() as usize;
            if offset >= here {
                offset -= here;
                continue;
            }
            let slots = (0..64).rev().filter(|bit| word >> bit & 1 == 1);
            let slots = slots.filter_map(|bit| u32::try_from(place * 64 + bit).ok());
            latest.extend(slots.skip(offset).take(limit - latest.len()));
            offset = 0;
            if latest.len() == limit {
                break;
            }
        }
        latest
    }
}

fn bits<T: Copy>(values: &[T], is_wanted: &impl Fn(T) -> bool) -> u64 {
    let wanted = values.iter().enumerate().map(|(bit, value)| u64::from(is_wanted(*value)) << bit);
    wanted.fold(0, |word, bit| word | bit)
}

/// A set of products by their `pk`s, which does not change.
#[derive(Debug, Clone, Default)]
pub(in crate::catalog) struct PkSet(Arc<[u64]>);

impl PkSet {
    pub(super) fn contains(&self, pk: i64) -> bool {
        let Ok(pk) = usize::try_from(pk) else { return false };
        self.0.get(pk / 64).is_some_and(|word| word >> (pk % 64) & 1 == 1)
    }
}

impl FromIterator<i64> for PkSet {
    fn from_iter<I: IntoIterator<Item = i64>>(pks: I) -> Self {
        let mut words = Vec::new();
        for pk in pks {
            let Ok(pk) = usize::try_from(pk) else { continue };
            if words.len() <= pk / 64 {
                words.resize(pk / 64 + 1, 0_u64);
            }
            words[pk / 64] |= 1 << (pk % 64);
        }
        Self(words.into())
    }
}
