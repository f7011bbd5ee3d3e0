//! How often one client may do a thing (section "Limits"): a sliding window in this process's
//! memory, on the shop's own clock.

use std::collections::{HashMap, VecDeque};
use std::net::{IpAddr, Ipv6Addr};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use shop_core::clock::Timestamp;
use shop_core::id::AccountId;

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

/// How many clients are remembered. Beyond it everything is forgotten: who commands that many
/// addresses is not held back by a count of each.
const MAX_CLIENTS: usize = 50_000;

/// Whose calls are counted.
#[derive(Debug, PartialEq, Eq, Hash)]
enum Client {
    Network(IpAddr),
    Account(AccountId),
}

/// The calls of late, by what is counted and who called.
#[derive(Debug, Default)]
pub(crate) struct RateLimiter {
    calls: Mutex<HashMap<(&'static str, Client), VecDeque<Timestamp>>>,
}

impl RateLimiter {
    /// As [`RateLimiter::admit`], for who is logged in, wherever he calls from.
    pub(crate) fn admit_account(
        &self,
        rate: Rate,
        account: &AccountId,
        now: Timestamp,
    ) -> Result<(), TooMany> {
        self.count(rate, Client::Account(account.clone()), now)
    }

    /// Counts a call, unless it is one too many: those are not counted, so a client that keeps
    /// trying gets in again when its oldest counted call leaves the window.
    pub(crate) fn admit(&self, rate: Rate, client: IpAddr, now: Timestamp) -> Result<(), TooMany> {
        self.count(rate, Client::Network(network(client)), now)
    }

    fn count(&self, rate: Rate, client: Client, now: Timestamp) -> Result<(), TooMany> {
        let mut clients = self.calls.lock().unwrap_or_else(PoisonError::into_inner);
        if clients.len() >= MAX_CLIENTS {
            clients.retain(|_, calls| calls.back().is_some_and(|at| now < at.plus(rate.window)));
            if clients.len() >= MAX_CLIENTS {
                clients.clear();
            }
        }
        let calls = clients.entry((rate.name, client)).or_default();
        while calls.front().is_some_and(|at| at.plus(rate.window) <= now) {
            calls.pop_front();
        }
        match calls.front() {
            Some(oldest) if calls.len() >= rate.max => {
                let millis = oldest.plus(rate.window).millis() - now.millis();
                let retry_after = Duration::from_millis(u64::try_from(millis).unwrap_or_default());
                Err(TooMany { max: rate.max, retry_after })
            }
            _ => {
                calls.push_back(now);
                Ok(())
            }
        }
    }
}

/// What counts as one client: an IPv4 address, or the /64 that an IPv6 subscriber has to himself.
fn network(client: IpAddr) -> IpAddr {
    match client {
        IpAddr::V4(_) => client,
        IpAddr::V6(ip) => IpAddr::V6(Ipv6Addr::from_bits(ip.to_bits() >> 64 << 64)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RATE: Rate = Rate { name: "test", max: 3, window: Duration::from_secs(60) };
    const ANA: IpAddr = IpAddr::V4(std::net::Ipv4Addr::new(192, 0, 2, 1));

    fn at(second: i64) -> Timestamp {
        Timestamp::from_millis(second * 1000)
    }

    #[test]
    fn a_call_too_many_waits_for_the_oldest_to_leave_the_window() {
        let limiter = RateLimiter::default();
        for second in [0, 10, 20] {
            assert_eq!(limiter.admit(RATE, ANA, at(second)), Ok(()));
        }
        let refused = |wait| Err(TooMany { max: 3, retry_after: Duration::from_secs(wait) });
        assert_eq!(limiter.admit(RATE, ANA, at(30)), refused(30));
        assert_eq!(limiter.admit(RATE, ANA, at(59)), refused(1));
        assert_eq!(limiter.admit(RATE, ANA, at(60)), Ok(()));
        assert_eq!(limiter.admit(RATE, ANA, at(61)), refused(9));
    }

    #[test]
    fn clients_and_things_are_counted_apart() {
        let limiter = RateLimiter::default();
        let other = Rate { name: "other", ..RATE };
        let bia = "192.0.2.2".parse().expect("an address");
        for _ in 0..3 {
            assert!(limiter.admit(RATE, ANA, at(0)).is_ok());
        }
        assert!(limiter.admit(RATE, ANA, at(0)).is_err());
        assert!(limiter.admit(RATE, bia, at(0)).is_ok());
        assert!(limiter.admit(other, ANA, at(0)).is_ok());
    }

    #[test]
    fn a_subscribers_ipv6_addresses_are_one_client() {
        let limiter = RateLimiter::default();
        let of = |text: &str| text.parse::<IpAddr>().expect("an address");
        for ip in ["2001:db8::1", "2001:db8::2", "2001:db8:0:0:ffff::3"] {
            assert!(limiter.admit(RATE, of(ip), at(0)).is_ok());
        }
        assert!(limiter.admit(RATE, of("2001:db8::4"), at(0)).is_err());
        assert!(limiter.admit(RATE, of("2001:db8:0:1::1"), at(0)).is_ok());
    }
}
