//! What a call is counted under: the client itself, and the wider groups that it falls back to.

use std::hash::BuildHasher;
use std::mem::Discriminant;
use std::net::IpAddr;

use super::Client;

/// How many groups share the counters of accounts, and of keys, that have none of their own.
const GROUPS: u64 = 4096;

/// A counter's key. Networks are named by their first bits and how many of them count.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) enum Bucket {
    V4 { bits: u32, prefix: u8 },
    V6 { bits: u64, prefix: u8 },
    Account(Box<str>),
    Accounts(u64),
    Key(Box<str>),
    Keys(u64),
}

/// Buckets of one kind share a bound on their number.
pub(super) type Kind = (Discriminant<Bucket>, u8);

impl Bucket {
    /// The bucket that counts one client: an IPv4 address, or the /64 of an IPv6 subscriber.
    pub(super) fn of(client: Client) -> Self {
        match client {
            Client::Network(ip) => match ip.to_canonical() {
                IpAddr::V4(ip) => Self::V4 { bits: ip.to_bits(), prefix: 32 },
                IpAddr::V6(ip) => {
                    Self::v6(u64::try_from(ip.to_bits() >> 64).unwrap_or_default(), 64)
                }
            },
            Client::Account(id) => Self::Account(id),
            Client::Key(id) => Self::Key(id),
        }
    }

    fn v4(bits: u32, prefix: u8) -> Self {
        Self::V4 { bits: bits & u32::MAX.checked_shl(32 - u32::from(prefix)).unwrap_or(0), prefix }
    }

    fn v6(bits: u64, prefix: u8) -> Self {
        Self::V6 { bits: bits & u64::MAX.checked_shl(64 - u32::from(prefix)).unwrap_or(0), prefix }
    }

    /// The next wider bucket: /24, /16 and all of IPv4; /48, /32 and all of IPv6; a random group of
    /// accounts or of keys. Random, so that a client cannot choose with whom it shares.
    pub(super) fn wider(&self, hasher: &impl BuildHasher) -> Option<Self> {
        match self {
            Self::V4 { bits, prefix: 32 } => Some(Self::v4(*bits, 24)),
            Self::V4 { bits, prefix: 24 } => Some(Self::v4(*bits, 16)),
            Self::V4 { prefix: 16, .. } => Some(Self::v4(0, 0)),
            Self::V6 { bits, prefix: 64 } => Some(Self::v6(*bits, 48)),
            Self::V6 { bits, prefix: 48 } => Some(Self::v6(*bits, 32)),
            Self::V6 { prefix: 32, .. } => Some(Self::v6(0, 0)),
            Self::Account(id) => Some(Self::Accounts(hasher.hash_one(id) % GROUPS)),
            Self::Key(id) => Some(Self::Keys(hasher.hash_one(id) % GROUPS)),
            Self::V4 { .. } | Self::V6 { .. } | Self::Accounts(_) | Self::Keys(_) => None,
        }
    }

    pub(super) fn kind(&self) -> Kind {
        let prefix = match self {
            Self::V4 { prefix, .. } | Self::V6 { prefix, .. } => *prefix,
            _ => 0,
        };
        (std::mem::discriminant(self), prefix)
    }

    /// Whether it is one of the networks that a single subscriber may have thousands of.
    pub(super) fn is_subnet(&self) -> bool {
        matches!(self, Self::V6 { prefix: 64, .. })
    }
}

#[cfg(test)]
mod tests {
    use std::hash::RandomState;

    use super::*;

    #[test]
    fn a_client_falls_back_to_wider_networks_and_in_the_end_to_all() {
        let hasher = RandomState::new();
        let chain = |ip: &str| {
            let first = Bucket::of(Client::Network(ip.parse().expect("an address")));
            std::iter::successors(Some(first), |it| it.wider(&hasher)).collect::<Vec<_>>()
        };
        assert_eq!(chain("192.0.2.77"), chain("::ffff:192.0.2.77"));
        assert_eq!(chain("192.0.2.77")[1..], chain("192.0.2.1")[1..]);
        assert_eq!(chain("192.0.2.77")[2..], chain("192.0.3.1")[2..]);
        assert_eq!(chain("192.0.2.77")[3..], chain("10.0.0.1")[3..]);
        assert_eq!(chain("2001:db8::1"), chain("2001:db8::ffff:0:0:2"));
        assert_ne!(chain("2001:db8::1")[0], chain("2001:db8:0:1::1")[0]);
        assert_eq!(chain("2001:db8::1")[1..], chain("2001:db8:0:1::1")[1..]);
        assert_eq!(chain("2001:db8::1")[2..], chain("2001:db8:1::1")[2..]);
        assert_ne!(chain("2001:db8::1")[2], chain("2001:db9::1")[2]);
        assert_eq!(chain("2001:db8::1")[3..], chain("2001:db9::1")[3..]);
    }
}
