//! Whether a secret can be guessed.

use std::collections::HashSet;

/// What is in secrets that people make up.
const GUESSED: &[&str] = &[
    "change",
    "secret",
    "segredo",
    "senha",
    "password",
    "example",
    "exemplo",
    "replace",
    "qwerty",
    "12345678",
    "what the provider shows",
];
/// A secret of fewer bytes than this can be tried out.
const SHORT: usize = 16;
/// Bits that a secret must at least have: trying 2^64 values takes years.
const BITS: f64 = 64.0;

/// Why a secret is none, and what to do.
pub(super) fn weakness(secret: &str) -> Option<String> {
    let text = secret.to_lowercase();
    let why = if text.len() < SHORT {
        "it is short"
    } else if GUESSED.iter().any(|word| text.contains(word)) {
        "it can be guessed: it has words of examples in it"
    } else if bits(secret) < BITS {
        "it can be guessed: its characters repeat or follow each other"
    } else {
        return None;
    };
    Some(format!("{why}; make one of 32 random bytes, as `openssl rand -base64 48` does"))
}

/// An upper bound of what there is to guess: only characters that do not follow from those before
/// them count, each for as much as the number of different characters allows.
fn bits(secret: &str) -> f64 {
    let text = secret.as_bytes();
    let distinct = text.iter().collect::<HashSet<_>>().len();
    let mut seen = HashSet::new();
    let surprising = (0..text.len()).filter(|&at| {
        let Some(three) = at.checked_sub(2).and_then(|from| text.get(from..=at)) else {
            return true;
        };
        let step = |a: u8, b: u8| i16::from(b) - i16::from(a);
        let goes_on = step(three[0], three[1]) == step(three[1], three[2]);
        seen.insert(three) && !goes_on
    });
    let (surprising, distinct) = (surprising.count(), distinct.max(1));
    let as_f64 = |count: usize| f64::from(u32::try_from(count).unwrap_or(u32::MAX));
    as_f64(surprising) * as_f64(distinct).log2()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_that_people_make_up_are_weak() {
        let repeated = "ab".repeat(20);
        let block = "k3J9xQ".repeat(8);
        let one = "x".repeat(64);
        for secret in [
            "short",
            "please-change-me-0123abcdefgh",
            "at least thirty-two bytes of secret",
            "replace me: openssl rand -base64 48",
            "abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyz",
            "0123456789abcdef0123456789abcdef",
            &repeated,
            &block,
            &one,
        ] {
            assert!(weakness(secret).is_some(), "{secret}");
        }
    }

    #[test]
    fn random_secrets_are_strong() {
        for secret in [
            "9f1c27d05b8e4a6397d1f0c2b5a8e3714c6d9f02e1b7a5d8",
            "mW0q3hXgkzJ4uT7bQyP1vN8cR5sLdE2f",
            "k8Zq+3vYp0/bT6sW1xRnJc5uQe7LgHa2MdFi9oVwXyKzBt4C",
        ] {
            assert_eq!(weakness(secret), None, "{secret}");
        }
        for _ in 0..200 {
            let mut bytes = [0; 32];
            getrandom::fill(&mut bytes).expect("randomness");
            assert_eq!(weakness(&hex::encode(bytes)), None, "{}", hex::encode(bytes));
        }
    }
}
