//! How many connections, or streams of events, may be open, in all and by network.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, PoisonError};

use ipnet::IpNet;

/// Places for connections or streams.
#[derive(Debug)]
pub(crate) struct Places {
    max: usize,
    /// How many one IPv4 address, or one IPv6 /64, may have.
    max_by_network: usize,
    /// Networks of proxies, which speak for many: only `max` holds for them.
    exempt: Vec<IpNet>,
    taken: Mutex<Taken>,
}

#[derive(Debug, Default)]
struct Taken {
    all: usize,
    by_network: HashMap<IpAddr, usize>,
}

/// A place that one of them has, until it is dropped.
#[derive(Debug)]
pub(crate) struct Place {
    places: Arc<Places>,
    /// The address that it counts for, unless exempt.
    network: Option<IpAddr>,
}

impl Places {
    pub(crate) fn new(max: usize, max_by_network: usize, exempt: Vec<IpNet>) -> Arc<Self> {
        Arc::new(Self { max, max_by_network, exempt, taken: Mutex::default() })
    }

    /// A place, if there is one for this peer.
    pub(crate) fn take(self: &Arc<Self>, peer: IpAddr) -> Option<Place> {
        let peer = peer.to_canonical();
        let is_exempt = self.exempt.iter().any(|net| net.contains(&peer));
        let network = (!is_exempt).then(|| network_of(peer));
        let mut taken = self.taken.lock().unwrap_or_else(PoisonError::into_inner);
        if taken.all >= self.max {
            return None;
        }
        if let Some(network) = network {
            let of_network = taken.by_network.entry(network).or_default();
            // Above 0, so the entry was there before.
            if *of_network >= self.max_by_network.max(1) {
                return None;
            }
            *of_network += 1;
        }
        taken.all += 1;
        Some(Place { places: Arc::clone(self), network })
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let mut taken = self.places.taken.lock().unwrap_or_else(PoisonError::into_inner);
        taken.all -= 1;
        let Some(network) = self.network else { return };
        if let Some(of_network) = taken.by_network.get_mut(&network) {
            *of_network -= 1;
            if *of_network == 0 {
                taken.by_network.remove(&network);
            }
        }
    }
}

/// How many file descriptors are left for everything but connections.
const DESCRIPTORS: usize = 128;

/// As many connections as the process has file descriptors for, at most so many: one for the
/// connection, one for a file that is sent on it. Beyond, nothing could be accepted any more, not
/// even to be turned away.
pub(super) fn affordable(wanted: usize) -> usize {
    let Some(limit) = std::fs::read_to_string("/proc/self/limits").ok().and_then(|it| files(&it))
    else {
        return wanted;
    };
    let affordable = limit.saturating_sub(DESCRIPTORS) / 2;
    if affordable < wanted {
        tracing::warn!(limit, affordable, wanted, "too few open files are allowed (LimitNOFILE)");
    }
    wanted.min(affordable.max(1))
}

/// The soft limit of open files.
fn files(limits: &str) -> Option<usize> {
    let line = limits.lines().find_map(|line| line.strip_prefix("Max open files"))?;
    match line.split_whitespace().next()? {
        "unlimited" => Some(usize::MAX),
        limit => limit.parse().ok(),
    }
}

fn network_of(peer: IpAddr) -> IpAddr {
    match peer {
        IpAddr::V4(_) => peer,
        IpAddr::V6(ip) => IpAddr::V6((ip.to_bits() >> 64 << 64).into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ip(text: &str) -> IpAddr {
        text.parse().expect("an address")
    }

    #[test]
    fn the_limit_of_open_files_is_read() {
        let limits = "Limit   Soft Limit  Hard Limit  Units\nMax processes  1  2  processes\n";
        let line =
            |soft| format!("{limits}Max open files            {soft}   4096     files     \n");
        assert_eq!(files(&line("1024")), Some(1024));
        assert_eq!(files(&line("unlimited")), Some(usize::MAX));
        assert_eq!(files(limits), None);
        assert_eq!(affordable(1), 1);
    }

    #[test]
    fn one_network_does_not_get_all_places_and_a_proxy_may() {
        let places = Places::new(5, 2, vec!["10.0.0.0/8".parse().expect("a network")]);
        let mut held = vec![places.take(ip("2001:db8::1")), places.take(ip("2001:db8::2"))];
        assert!(held.iter().all(Option::is_some));
        assert!(places.take(ip("2001:db8::3")).is_none(), "a third of one /64");
        for _ in 0..3 {
            held.push(places.take(ip("::ffff:10.0.0.1")));
        }
        assert!(held.iter().all(Option::is_some));
        assert!(places.take(ip("192.0.2.1")).is_none(), "a sixth of all");
        held.remove(0);
        held.push(places.take(ip("2001:db8::4")));
        assert!(held.last().is_some_and(Option::is_some));
        drop(held);
        let taken = places.taken.lock().expect("whole");
        assert_eq!((taken.all, taken.by_network.len()), (0, 0));
    }
}
