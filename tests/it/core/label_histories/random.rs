//! Choices that a seed decides.

/// A source of choices (`SplitMix64`).
#[derive(Clone)]
pub(super) struct Random(u64);

impl Random {
    pub(super) fn of(seed: u64) -> Self {
        Self(seed)
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// Another source, whose choices leave those of this one as they are.
    pub(super) fn fork(&mut self) -> Self {
        Self(self.next())
    }

    pub(super) fn below(&mut self, end: u64) -> u64 {
        self.next() % end
    }

    pub(super) fn percent(&mut self, chance: u64) -> bool {
        self.below(100) < chance
    }

    pub(super) fn of_these<T: Copy>(&mut self, of: &[T]) -> T {
        let count = u64::try_from(of.len()).expect("small");
        of[usize::try_from(self.below(count)).expect("small")]
    }
}
