//! A bounded queue that serves clients in turns, so that the many tasks of one keep no other
//! waiting.
//!
//! Tasks of one client stand in one lane, and the lanes are served round robin. A task waits for at
//! most one task of each other lane for every task that stands before it in its own. No client and
//! no account has more than a share of the queue.

use std::collections::{HashMap, VecDeque};
use std::net::{IpAddr, Ipv6Addr};

/// The tasks that may wait altogether.
pub(super) const LENGTH: usize = 512;
/// The tasks of one client, or in the name of one account, that may wait.
pub(super) const SHARE: usize = 16;

/// On whose behalf something is done, as far as it is known.
#[derive(Debug, Clone, Default)]
pub(crate) struct Requester {
    client: Option<IpAddr>,
    account: Option<String>,
}

impl Requester {
    /// A call in the name of an account, from an address if that is known.
    pub(super) fn new(client: Option<IpAddr>, account: &str) -> Self {
        Self { client: client.map(subscriber), account: Some(account.to_owned()) }
    }

    /// A call that only claims a name, as a log-in. The name counts only where the
    /// address is not known: strangers must not use up the share of an account.
    pub(super) fn stranger(client: Option<IpAddr>, name: &str) -> Self {
        let account = client.is_none().then(|| name.to_owned());
        Self { client: client.map(subscriber), account }
    }

    fn lane(&self) -> Lane {
        match (self.client, &self.account) {
            (Some(client), _) => Lane::Client(client),
            (None, Some(account)) => Lane::Account(account.clone()),
            (None, None) => Lane::Unknown,
        }
    }
}

/// An IPv4 address, or the /64 that an IPv6 subscriber has alone.
fn subscriber(ip: IpAddr) -> IpAddr {
    match ip.to_canonical() {
        IpAddr::V6(ip) => IpAddr::V6(Ipv6Addr::from_bits(ip.to_bits() >> 64 << 64)),
        v4 @ IpAddr::V4(_) => v4,
    }
}

/// Whose tasks stand behind each other.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
enum Lane {
    Client(IpAddr),
    Account(String),
    Unknown,
}

/// No place was left for a task.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Full;

#[derive(Debug)]
struct Waiting<T> {
    task: T,
    account: Option<String>,
}

/// The queue.
#[derive(Debug)]
pub(super) struct FairQueue<T> {
    lanes: HashMap<Lane, VecDeque<Waiting<T>>>,
    /// The lanes that have tasks, in the order of their turns.
    turns: VecDeque<Lane>,
    accounts: HashMap<String, usize>,
    length: usize,
}

impl<T> Default for FairQueue<T> {
    fn default() -> Self {
        Self { lanes: HashMap::new(), turns: VecDeque::new(), accounts: HashMap::new(), length: 0 }
    }
}

impl<T> FairQueue<T> {
    /// Puts a task at the end of its lane.
    ///
    /// # Errors
    /// [`Full`] when the queue is, or the share of the client or of the account.
    pub(super) fn push(&mut self, by: Requester, task: T) -> Result<(), Full> {
        let lane = by.lane();
        let standing = self.lanes.get(&lane).map_or(0, VecDeque::len);
        let of_account = by.account.as_ref().and_then(|account| self.accounts.get(account));
        let most = standing.max(of_account.copied().unwrap_or(0));
        if self.length >= LENGTH || most >= SHARE {
            return Err(Full);
        }
        if let Some(account) = by.account.clone() {
            *self.accounts.entry(account).or_default() += 1;
        }
        if standing == 0 {
            self.turns.push_back(lane.clone());
        }
        self.lanes.entry(lane).or_default().push_back(Waiting { task, account: by.account });
        self.length += 1;
        Ok(())
    }

    /// The task whose turn it is.
    pub(super) fn pop(&mut self) -> Option<T> {
        let lane = self.turns.pop_front()?;
        let waiting = self.lanes.get_mut(&lane)?;
        let first = waiting.pop_front()?;
        if waiting.is_empty() {
            self.lanes.remove(&lane);
        } else {
            self.turns.push_back(lane);
        }
        self.length -= 1;
        if let Some(account) = first.account
            && let Some(count) = self.accounts.get_mut(&account)
        {
            *count -= 1;
            if *count == 0 {
                self.accounts.remove(&account);
            }
        }
        Some(first.task)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn from(ip: &str, account: &str) -> Requester {
        Requester::new(ip.parse().ok(), account)
    }

    #[test]
    fn one_task_never_waits_for_all_of_anothers() {
        let mut queue = FairQueue::default();
        for n in 0..SHARE {
            queue.push(from("192.0.2.1", "ana"), ("ana", n)).expect("a place");
        }
        queue.push(from("192.0.2.2", "bia"), ("bia", 0)).expect("a place");
        queue.push(from("192.0.2.3", "eva"), ("eva", 0)).expect("a place");
        let served: Vec<&str> = (0..5).filter_map(|_| queue.pop()).map(|(who, _)| who).collect();
        assert_eq!(served, ["ana", "bia", "eva", "ana", "ana"]);
        assert_eq!(queue.pop(), Some(("ana", 3)));
    }

    #[test]
    fn no_client_and_no_account_has_more_than_its_share() {
        let mut queue = FairQueue::default();
        for n in 0..SHARE {
            queue.push(from("2001:db8::1", &n.to_string()), n).expect("a place");
        }
        // The same subscriber, whatever the rest of the address.
        assert_eq!(queue.push(from("2001:db8::ffff", "x"), 0), Err(Full));
        for n in 0..SHARE {
            queue.push(from(&format!("192.0.2.{n}"), "ana"), n).expect("a place");
        }
        assert_eq!(queue.push(from("198.51.100.1", "ana"), 0), Err(Full));
        queue.push(from("198.51.100.1", "bia"), 0).expect("a place");
        while queue.pop().is_some() {}
        assert!(queue.lanes.is_empty() && queue.turns.is_empty() && queue.accounts.is_empty());
        queue.push(from("198.51.100.1", "ana"), 0).expect("a place again");
    }

    #[test]
    fn the_queue_has_an_end() {
        let mut queue = FairQueue::default();
        let by = |n: usize| Requester::new(None, &n.to_string());
        for n in 0..LENGTH {
            queue.push(by(n), n).expect("a place");
        }
        assert_eq!(queue.push(by(LENGTH), LENGTH), Err(Full));
        assert_eq!(queue.pop(), Some(0));
        queue.push(by(LENGTH), LENGTH).expect("a place");
    }
}
