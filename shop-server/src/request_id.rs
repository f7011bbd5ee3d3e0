//! The name of one request, by which a customer's complaint finds its line in the log.

use std::fmt;
use std::hash::{BuildHasher, RandomState};
use std::sync::atomic::{AtomicU64, Ordering};

use hyper::header::HeaderValue;

/// Sixteen hexadecimal digits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct RequestId([u8; 16]);

impl RequestId {
    pub(crate) fn as_str(&self) -> &str {
        str::from_utf8(&self.0).unwrap_or_default()
    }

    pub(crate) fn to_header(self) -> HeaderValue {
        HeaderValue::from_bytes(&self.0).unwrap_or(HeaderValue::from_static("0"))
    }
}

impl fmt::Display for RequestId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// Makes request ids: a count that starts somewhere else in each process, stirred so that two
/// neighbours look nothing alike. No two of a process are the same.
#[derive(Debug)]
pub(crate) struct RequestIds(AtomicU64);

impl RequestIds {
    pub(crate) fn new() -> Self {
        Self(AtomicU64::new(RandomState::new().hash_one(std::process::id())))
    }

    pub(crate) fn next(&self) -> RequestId {
        let mut n = stir(self.0.fetch_add(1, Ordering::Relaxed));
        let mut digits = [0; 16];
        for digit in digits.iter_mut().rev() {
            *digit = b"0123456789abcdef"[(n & 0xf) as usize];
            n >>= 4;
        }
        RequestId(digits)
    }
}

/// The finaliser of `SplitMix64`, which maps no two numbers to one.
fn stir(mut n: u64) -> u64 {
    n = (n ^ (n >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    n = (n ^ (n >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    n ^ (n >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_distinct_and_hexadecimal() {
        let ids = RequestIds::new();
        let made: std::collections::HashSet<String> =
            (0..1000).map(|_| ids.next().to_string()).collect();
        assert_eq!(made.len(), 1000);
        assert!(made.iter().all(|id| id.len() == 16 && id.bytes().all(|b| b.is_ascii_hexdigit())));
    }
}
