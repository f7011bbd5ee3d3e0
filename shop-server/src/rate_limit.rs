//! How often one client may do a thing (section "Limits"): a sliding window in this process's
//! memory, on the shop's own clock.

use std::collections::{HashMap, VecDeque};
use std::net::{IpAddr, Ipv6Addr};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use shop_core::clock::Timestamp;

/// At most `max` calls in any `window`, counted by client.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Rate {
    /// What is counted; rows with the same name share their count.
    pub(crate) name: &'static str,
    pub(crate) max: usize,
    pub(crate) window: Duration,
}

/// A call too many.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct TooMany {
    pub(crate) max: usize,
    /// How long until the next call is taken.
    pub(crate) retry_after: Duration,
}

/// How much of a rate a client has left.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Quota {
    pub(crate) max: usize,
    pub(crate) remaining: usize,
    /// How long until the oldest counted call leaves the window.
    pub(crate) reset: Duration,
}

/// Who is counted.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) enum Client {
    /// Whoever calls from this address.
    Network(IpAddr),
    /// Whoever is logged in with this account, wherever he calls from.
    Account(Box<str>),
    /// A program, by the id of its key.
    Key(Box<str>),
}

/// How many clients are remembered. Beyond it everything is forgotten: who commands that many
/// addresses is not held back by a count of each.
const MAX_CLIENTS: usize = 50_000;

/// The calls of late, by what is counted and who called.
#[derive(Debug, Default)]
pub(crate) struct RateLimiter {
    calls: Mutex<HashMap<(&'static str, Client), VecDeque<Timestamp>>>,
}

impl RateLimiter {
    /// Counts a call, unless it is one too many: those are not counted, so a client that keeps
    /// trying gets in again when its oldest counted call leaves the window.
    pub(crate) fn admit(
        &self,
        rate: Rate,
        client: Client,
        now: Timestamp,
    ) -> Result<Quota, TooMany> {
        let mut clients = self.calls.lock().unwrap_or_else(PoisonError::into_inner);
        if clients.len() >= MAX_CLIENTS {
            clients.retain(|_, calls| calls.back().is_some_and(|at| now < at.plus(rate.window)));
            if clients.len() >= MAX_CLIENTS {
                clients.clear();
            }
        }
        let calls = clients.entry((rate.name, client.counted())).or_default();
        while calls.front().is_some_and(|at| at.plus(rate.window) <= now) {
            calls.pop_front();
        }
        let oldest = calls.front().copied().unwrap_or(now);
        let millis = oldest.plus(rate.window).millis() - now.millis();
        let reset = Duration::from_millis(u64::try_from(millis).unwrap_or_default());
        if calls.len() >= rate.max {
            return Err(TooMany { max: rate.max, retry_after: reset });
        }
        calls.push_back(now);
        Ok(Quota { max: rate.max, remaining: rate.max - calls.len(), reset })
    }
}

impl Client {
    /// What counts as one client: an IPv4 address, or the /64 that an IPv6 subscriber has to himself.
    fn counted(self) -> Self {
        match self {
            Self::Network(IpAddr::V6(ip)) => {
                Self::Network(IpAddr::V6(Ipv6Addr::from_bits(ip.to_bits() >> 64 << 64)))
            }
            other => other,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RATE: Rate = Rate { name: "test", max: 3, window: Duration::from_secs(60) };
    const ANA: Client = Client::Network(IpAddr::V4(std::net::Ipv4Addr::new(192, 0, 2, 1)));

    fn at(second: i64) -> Timestamp {
        Timestamp::from_millis(second * 1000)
    }

    fn of(text: &str) -> Client {
        Client::Network(text.parse().expect("an address"))
    }

    #[test]
    fn a_call_too_many_waits_for_the_oldest_to_leave_the_window() {
        let limiter = RateLimiter::default();
        let left =
            |remaining, reset| Ok(Quota { max: 3, remaining, reset: Duration::from_secs(reset) });
        assert_eq!(limiter.admit(RATE, ANA, at(0)), left(2, 60));
        assert_eq!(limiter.admit(RATE, ANA, at(10)), left(1, 50));
        assert_eq!(limiter.admit(RATE, ANA, at(20)), left(0, 40));
        let refused = |wait| Err(TooMany { max: 3, retry_after: Duration::from_secs(wait) });
        assert_eq!(limiter.admit(RATE, ANA, at(30)), refused(30));
        assert_eq!(limiter.admit(RATE, ANA, at(59)), refused(1));
        assert_eq!(limiter.admit(RATE, ANA, at(60)), left(0, 10));
        assert_eq!(limiter.admit(RATE, ANA, at(61)), refused(9));
    }

    #[test]
    fn clients_and_things_are_counted_apart() {
        let limiter = RateLimiter::default();
        let other = Rate { name: "other", ..RATE };
        for _ in 0..3 {
            assert!(limiter.admit(RATE, ANA, at(0)).is_ok());
        }
        assert!(limiter.admit(RATE, ANA, at(0)).is_err());
        assert!(limiter.admit(RATE, of("192.0.2.2"), at(0)).is_ok());
        assert!(limiter.admit(RATE, Client::Key("192.0.2.1".into()), at(0)).is_ok());
        assert!(limiter.admit(other, ANA, at(0)).is_ok());
    }

    #[test]
    fn a_subscribers_ipv6_addresses_are_one_client() {
        let limiter = RateLimiter::default();
        for ip in ["2001:db8::1", "2001:db8::2", "2001:db8:0:0:ffff::3"] {
            assert!(limiter.admit(RATE, of(ip), at(0)).is_ok());
        }
        assert!(limiter.admit(RATE, of("2001:db8::4"), at(0)).is_err());
        assert!(limiter.admit(RATE, of("2001:db8:0:1::1"), at(0)).is_ok());
    }
}
