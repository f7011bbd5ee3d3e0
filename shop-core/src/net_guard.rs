//! Which addresses of the network are public, and which are of private networks.
//!
//! A user that chooses where the shop calls could otherwise make it call its own machine, its
//! neighbours or the cloud's metadata service, and read the answer. The look happens when a
//! connection is made, at the very addresses that it is made to: a name that resolves to something
//! else the next time gains nothing.

#[cfg(feature = "http")]
use std::net::SocketAddr;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use ipnet::{Ipv4Net, Ipv6Net};

/// Networks of IPv4 that are not public (RFC 6890 and the registry that follows it).
const CLOSED_V4: &[(Ipv4Addr, u8)] = &[
    (Ipv4Addr::UNSPECIFIED, 8),            // this network
    (Ipv4Addr::new(10, 0, 0, 0), 8),       // private
    (Ipv4Addr::new(100, 64, 0, 0), 10),    // shared behind a carrier's NAT; metadata of some clouds
    (Ipv4Addr::new(127, 0, 0, 0), 8),      // loopback
    (Ipv4Addr::new(168, 63, 129, 16), 32), // Azure's platform
    (Ipv4Addr::new(169, 254, 0, 0), 16),   // link-local; metadata of most clouds
    (Ipv4Addr::new(172, 16, 0, 0), 12),    // private
    (Ipv4Addr::new(192, 0, 0, 0), 24),     // protocol assignments; metadata of some clouds
    (Ipv4Addr::new(192, 0, 2, 0), 24),     // documentation
    (Ipv4Addr::new(192, 31, 196, 0), 24),  // AS112
    (Ipv4Addr::new(192, 52, 193, 0), 24),  // AMT
    (Ipv4Addr::new(192, 88, 99, 0), 24),   // relays of 6to4
    (Ipv4Addr::new(192, 168, 0, 0), 16),   // private
    (Ipv4Addr::new(192, 175, 48, 0), 24),  // AS112
    (Ipv4Addr::new(198, 18, 0, 0), 15),    // benchmarks
    (Ipv4Addr::new(198, 51, 100, 0), 24),  // documentation
    (Ipv4Addr::new(203, 0, 113, 0), 24),   // documentation
    (Ipv4Addr::new(224, 0, 0, 0), 4),      // multicast
    (Ipv4Addr::new(240, 0, 0, 0), 4),      // reserved, and broadcast
];

/// What of IPv6 is the world at all.
const GLOBAL_V6: (Ipv6Addr, u8) = (Ipv6Addr::new(0x2000, 0, 0, 0, 0, 0, 0, 0), 3);

/// Networks within it that are not. Everything outside of it is closed already: loopback, ULA,
/// link-local, multicast, IPv4-mapped and NAT64 addresses among them.
const CLOSED_V6: &[(Ipv6Addr, u8)] = &[
    (Ipv6Addr::new(0x2001, 0, 0, 0, 0, 0, 0, 0), 23), // protocol assignments, Teredo, ORCHID
    (Ipv6Addr::new(0x2001, 0xdb8, 0, 0, 0, 0, 0, 0), 32), // documentation
    (Ipv6Addr::new(0x2002, 0, 0, 0, 0, 0, 0, 0), 16), // 6to4: an IPv4 address inside
    (Ipv6Addr::new(0x2620, 0x4f, 0x8000, 0, 0, 0, 0, 0), 48), // AS112
    (Ipv6Addr::new(0x3fff, 0, 0, 0, 0, 0, 0, 0), 20), // documentation
];

/// Whether an address belongs to the world. IPv6 forms that carry an IPv4 address (mapped,
/// compatible, NAT64, 6to4, Teredo) are closed whatever they carry: no receiver needs them.
pub(crate) fn is_public(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => !CLOSED_V4.iter().any(|network| in_v4(*network, address)),
        IpAddr::V6(address) => {
            in_v6(GLOBAL_V6, address) && !CLOSED_V6.iter().any(|network| in_v6(*network, address))
        }
    }
}

/// Whether a host is closed by its name already: a closed address, or a name that is always this
/// machine (RFC 6761). What other names stand for shows when a connection is made.
pub(crate) fn is_closed_host(host: &str) -> bool {
    let name = host.strip_suffix('.').unwrap_or(host).to_ascii_lowercase();
    let is_this_machine = name == "localhost" || name.ends_with(".localhost");
    is_this_machine
        || match name.parse() {
            Ok(address) => !is_public(address),
            Err(_) => ends_in_number(&name),
        }
}

/// Whether browsers read a host as an IPv4 address, whose parts may be left out or octal: `127.1`.
fn ends_in_number(host: &str) -> bool {
    let last = host.rsplit('.').next().unwrap_or_default();
    match last.strip_prefix("0x") {
        Some(hex) => hex.bytes().all(|byte| byte.is_ascii_hexdigit()),
        None => last.bytes().all(|byte| byte.is_ascii_digit()),
    }
}

/// Whether all addresses of a name are public; one that is not closes the name.
#[cfg(feature = "http")]
pub(crate) fn all_public(addresses: &[SocketAddr]) -> bool {
    addresses.iter().all(|address| is_public(address.ip()))
}

fn in_v4((network, length): (Ipv4Addr, u8), address: Ipv4Addr) -> bool {
    Ipv4Net::new(network, length).is_ok_and(|network| network.contains(&address))
}

fn in_v6((network, length): (Ipv6Addr, u8), address: Ipv6Addr) -> bool {
    Ipv6Net::new(network, length).is_ok_and(|network| network.contains(&address))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn public(address: &str) -> bool {
        is_public(address.parse().unwrap_or_else(|_| panic!("{address}")))
    }

    #[test]
    fn the_house_is_closed_to_its_very_edges() {
        for address in [
            "0.0.0.0",
            "0.255.255.255",
            "10.0.0.0",
            "10.255.255.255",
            "100.64.0.0",
            "100.100.100.200",
            "100.127.255.255",
            "127.0.0.1",
            "127.255.255.255",
            "168.63.129.16",
            "169.254.0.0",
            "169.254.169.254",
            "169.254.170.2",
            "169.254.255.255",
            "172.16.0.0",
            "172.31.255.255",
            "192.0.0.0",
            "192.0.0.192",
            "192.0.0.255",
            "192.0.2.1",
            "192.31.196.1",
            "192.52.193.1",
            "192.88.99.1",
            "192.168.0.0",
            "192.168.255.255",
            "192.175.48.1",
            "198.18.0.0",
            "198.19.255.255",
            "198.51.100.7",
            "203.0.113.255",
            "224.0.0.0",
            "239.255.255.255",
            "240.0.0.0",
            "255.255.255.255",
            // IPv6's own
            "::",
            "::1",
            "fc00::",
            "fd00:ec2::254",
            "fdff:ffff::1",
            "fe80::1",
            "febf::1",
            "fec0::1",
            "ff02::1",
            "ff0e::1",
            "100::1",
            "100:0:0:1::1",
            "2001::1",
            "2001:2::1",
            "2001:10::1",
            "2001:1ff::1",
            "2001:db8::1",
            "3fff::1",
            "3fff:fff::1",
            "5f00::1",
            "2620:4f:8000::1",
            "4000::1",
            // IPv4 inside of IPv6: mapped, compatible, translated, NAT64, 6to4, Teredo, ISATAP
            "::ffff:127.0.0.1",
            "::ffff:169.254.169.254",
            "::ffff:8.8.8.8",
            "::7f00:1",
            "::ffff:0:127.0.0.1",
            "64:ff9b::7f00:1",
            "64:ff9b::8.8.8.8",
            "64:ff9b:1::1",
            "2002:7f00:1::1",
            "2002:a9fe:a9fe::",
            "2002:808:808::1",
            "2001:0:7f00:1::",
            "fe80::5efe:127.0.0.1",
        ] {
            assert!(!public(address), "{address}");
        }
    }

    #[test]
    fn the_world_is_open_up_to_its_neighbours() {
        for address in [
            "1.0.0.0",
            "8.8.8.8",
            "9.255.255.255",
            "11.0.0.0",
            "100.63.255.255",
            "100.128.0.0",
            "126.255.255.255",
            "128.0.0.0",
            "168.63.129.15",
            "168.63.129.17",
            "169.253.255.255",
            "169.255.0.0",
            "172.15.255.255",
            "172.32.0.0",
            "192.0.1.0",
            "192.0.3.0",
            "192.88.98.1",
            "192.88.100.0",
            "192.167.255.255",
            "192.169.0.0",
            "198.17.255.255",
            "198.20.0.0",
            "198.51.99.255",
            "198.51.101.0",
            "203.0.112.255",
            "203.0.114.0",
            "223.255.255.255",
            "200.160.2.3",
            "2001:200::1",
            "2001:4860:4860::8888",
            "2001:db7:ffff::1",
            "2001:db9::1",
            "2003::1",
            "2606:4700:4700::1111",
            "2804:14c::1",
            "2a00:1450::1",
            "3ffe::1",
            "2000::1",
            "2620:4f:8001::1",
        ] {
            assert!(public(address), "{address}");
        }
    }

    #[cfg(feature = "http")]
    #[test]
    fn one_closed_address_closes_the_name() {
        let resolved = |hosts: &[&str]| {
            let addresses = hosts.iter().map(|host| format!("{host}:443").parse().expect("one"));
            all_public(&addresses.collect::<Vec<SocketAddr>>())
        };
        assert!(resolved(&["8.8.8.8", "[2606:4700::1]"]));
        assert!(!resolved(&["8.8.8.8", "127.0.0.1"]));
        assert!(!resolved(&["8.8.8.8", "[::ffff:10.0.0.1]"]));
        for host in [
            "127.0.0.1",
            "::1",
            "localhost",
            "LOCALHOST",
            "localhost.",
            "a.b.Localhost.",
            "127.1",
            "0177.0.0.1",
            "2130706433",
            "0x7F000001.",
        ] {
            assert!(is_closed_host(host), "{host}");
        }
        for host in ["8.8.8.8", "localhost.example", "notlocalhost", "example."] {
            assert!(!is_closed_host(host), "{host}");
        }
    }
}
