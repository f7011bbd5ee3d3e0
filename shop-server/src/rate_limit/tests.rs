use proptest::collection::vec;
use proptest::prelude::*;

use super::table::{CAPACITY, SUBNETS};
use super::*;

const RATE: Rate = Rate { name: "test", max: 3, window: Duration::from_secs(60) };
const ANA: Client = Client::Network(IpAddr::V4(std::net::Ipv4Addr::new(192, 0, 2, 1)));

fn at(second: i64) -> Timestamp {
    Timestamp::from_millis(second * 1000)
}

fn of(text: &str) -> Client {
    Client::Network(text.parse().expect("an address"))
}

fn v4(n: usize) -> Client {
    Client::Network(IpAddr::from(u32::try_from(n).expect("32 bits").to_be_bytes()))
}

#[expect(clippy::unnecessary_wraps, reason = "it stands for an answer")]
fn left(remaining: usize, reset: u64) -> Result<Quota, TooMany> {
    Ok(Quota { max: 3, remaining, reset: Duration::from_secs(reset) })
}

fn refused(wait: u64) -> Result<Quota, TooMany> {
    Err(TooMany { max: 3, retry_after: Duration::from_secs(wait) })
}

#[test]
fn a_call_too_many_waits_for_the_oldest_to_leave_the_window() {
    let limiter = RateLimiter::default();
    assert_eq!(limiter.admit(RATE, ANA, at(0)), left(2, 60));
    assert_eq!(limiter.admit(RATE, ANA, at(10)), left(1, 50));
    assert_eq!(limiter.admit(RATE, ANA, at(20)), left(0, 40));
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
fn a_check_counts_nothing_and_a_count_always() {
    let limiter = RateLimiter::default();
    for _ in 0..5 {
        assert_eq!(limiter.check(RATE, ANA, at(0)), left(3, 60));
    }
    limiter.count(RATE, ANA, at(0));
    assert_eq!(limiter.check(RATE, ANA, at(10)), left(2, 50));
    for second in [20, 20, 30] {
        limiter.count(RATE, ANA, at(second));
    }
    // Of four calls the latest three count.
    assert_eq!(limiter.check(RATE, ANA, at(30)), refused(50));
}

#[test]
fn a_call_that_is_taken_back_was_never_made() {
    let limiter = RateLimiter::default();
    for second in [0, 1, 2] {
        assert!(limiter.admit(RATE, ANA, at(second)).is_ok());
    }
    limiter.take_back(RATE, ANA, at(1));
    limiter.take_back(RATE, ANA, at(50));
    assert_eq!(limiter.admit(RATE, ANA, at(3)), left(0, 57));
    assert_eq!(limiter.admit(RATE, ANA, at(3)), refused(57));
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

#[test]
fn the_subnets_of_one_network_have_a_ceiling() {
    let limiter = RateLimiter::default();
    let admitted = (0..65_536)
        .filter(|n| limiter.admit(RATE, of(&format!("2001:db8:7:{n:x}::1")), at(0)).is_ok())
        .count();
    assert_eq!(admitted, SUBNETS + RATE.max);
    assert!(limiter.admit(RATE, of("2001:db8:8::1"), at(0)).is_ok(), "another network");
    assert!(limiter.admit(RATE, of("2001:db8:7:ffff::1"), at(60)).is_ok(), "later");
}

#[test]
fn no_counter_is_lost_to_the_noise_of_others() {
    let limiter = RateLimiter::default();
    let slow = Rate { name: "slow", max: 3, window: Duration::from_secs(900) };
    for second in 0..3 {
        assert!(limiter.admit(slow, ANA, at(second)).is_ok());
    }
    for n in 0..3 * CAPACITY {
        // Noise under another rate with a shorter window, and under the same.
        limiter.count(RATE, v4(n << 8), at(100));
        limiter.count(slow, v4(n << 8), at(100));
    }
    assert!(limiter.admit(slow, ANA, at(899)).is_err());
    assert!(limiter.admit(slow, ANA, at(900)).is_ok());
}

#[test]
fn a_table_without_room_counts_neighbours_together_and_recovers() {
    let limiter = RateLimiter::default();
    for n in 0..CAPACITY {
        assert!(limiter.admit(RATE, v4(n), at(0)).is_ok());
    }
    let tries = |ip: &str, second| {
        (0..5).filter(|_| limiter.admit(RATE, of(ip), at(second)).is_ok()).count()
    };
    assert_eq!(tries("198.51.100.1", 10), 3);
    assert_eq!(tries("198.51.100.2", 10), 0, "shares with its neighbour");
    assert_eq!(tries("198.51.101.2", 10), 3, "is no neighbour");
    // There is room now, but what the neighbours did together is not forgotten.
    assert_eq!(tries("198.51.100.1", 60), 0);
    assert_eq!(tries("198.51.100.1", 70), 3);
    assert_eq!(tries("198.51.100.2", 70), 3);
}

#[test]
fn memory_is_bounded_and_given_back() {
    let limiter = RateLimiter::default();
    for n in 0..5 * CAPACITY {
        limiter.count(RATE, v4(n << 6), at(0));
    }
    let size = || limiter.with(RATE, |table| table.len());
    assert!(size() <= 4 * CAPACITY, "{}", size());
    for _ in 0..CAPACITY {
        limiter.count(RATE, ANA, at(60));
    }
    assert_eq!(size(), 1);
}

/// Clients few enough to meet often, of which many share a network.
fn client() -> impl Strategy<Value = Client> {
    prop_oneof![
        (0_u8..4, 0_u8..4).prop_map(|(a, b)| Client::Network([10, 0, a, b].into())),
        (0_u16..2, 0_u16..200)
            .prop_map(|(a, b)| { Client::Network([0x2001, 0xdb8, a, b, 0, 0, 0, 1].into()) }),
        (0_u8..4).prop_map(|n| Client::Account(format!("account-{n}").into())),
    ]
}

proptest! {
    /// However calls interleave, with the table full or not: in no window is a client admitted more
    /// often than its rate says.
    #[test]
    fn no_interleaving_lets_a_client_exceed_its_rate(
        full in any::<bool>(),
        calls in vec((client(), 0_i64..12), 1..400),
    ) {
        let limiter = RateLimiter::default();
        if full {
            for n in 0..CAPACITY {
                limiter.count(RATE, v4(0xC000_0000 + (n << 4)), at(i64::try_from(n / 400).expect("small")));
                limiter.count(RATE, Client::Account(format!("noise-{n}").into()), at(0));
            }
        }
        let mut second = 50;
        let mut admitted: HashMap<Client, Vec<i64>> = HashMap::new();
        for (client, wait) in calls {
            second += wait;
            if limiter.admit(RATE, client.clone(), at(second)).is_ok() {
                let times = admitted.entry(client).or_default();
                times.push(second);
                let of_window = times.iter().filter(|time| second - **time < 60).count();
                prop_assert!(of_window <= RATE.max, "{of_window} calls");
            }
        }
    }

    /// With room for every client the window is exact: a client is refused if and only if it was
    /// admitted as often as its rate says within the window before.
    #[test]
    fn with_room_the_window_is_exact(calls in vec((0_u8..6, 0_i64..25), 1..300)) {
        let limiter = RateLimiter::default();
        let mut second = 0;
        let mut admitted: HashMap<u8, Vec<i64>> = HashMap::new();
        for (n, wait) in calls {
            second += wait;
            let client = Client::Network([10, 0, 0, n].into());
            let times = admitted.entry(n).or_default();
            times.retain(|time| second - time < 60);
            let expected = times.len() < RATE.max;
            prop_assert_eq!(limiter.admit(RATE, client, at(second)).is_ok(), expected);
            if expected {
                times.push(second);
            }
        }
    }
}
