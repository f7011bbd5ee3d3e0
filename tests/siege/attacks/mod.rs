//! What strangers do to a shop, an attack a file; each is bounded in number, and ends when told.

mod connections;
mod half_sent;
mod large_bodies;
mod log_ins;
mod many_networks;
mod password_guesses;
mod pictures;
mod shipping_quotes;
mod slow_readers;
mod slow_requests;

use std::net::{Ipv4Addr, SocketAddr, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

pub(crate) use connections::Connections;
use half_sent::HalfSent;
use large_bodies::LargeBodies;
pub(crate) use log_ins::LogIns;
use many_networks::ManyNetworks;
use password_guesses::PasswordGuesses;
use pictures::Pictures;
use shipping_quotes::ShippingQuotes;
pub(crate) use slow_readers::SlowReaders;
use slow_requests::SlowRequests;

use super::crowd::Crowd;
use super::shop::Shop;
use super::wire::{Answer, Request, ask, connect};

/// Something that strangers do to a shop while others shop.
pub(crate) trait Attack {
    /// What it is, for people.
    fn name(&self) -> &'static str;

    /// What the server needs besides, so that there is something to attack.
    fn settings(&self) -> Vec<(&'static str, String)> {
        Vec::new()
    }

    fn start(&self, shop: &Shop) -> Crowd<Outcome>;

    /// What came of it, for people.
    fn tell(&self, outcome: Outcome) -> String;
}

/// All but the mix, in the order of their rows.
pub(crate) fn all() -> Vec<Box<dyn Attack>> {
    vec![
        Box::new(Connections { number: 0, by_address: 1, name: "nobody attacks" }),
        Box::new(SlowReaders::that_read_nothing()),
        Box::new(Connections {
            number: 4_100,
            by_address: 4_100,
            name: "4,100 idle connections of one address",
        }),
        Box::new(SlowRequests::heads()),
        Box::new(SlowRequests::bodies()),
        Box::new(HalfSent),
        Box::new(LogIns),
        Box::new(PasswordGuesses),
        Box::new(ShippingQuotes::new()),
        Box::new(LargeBodies),
        Box::new(ManyNetworks),
        Box::new(Pictures),
    ]
}

/// What an attack did, counted by the thread that did it.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Outcome {
    /// Requests that were answered, or connections that were open at the end.
    pub(crate) done: usize,
    /// How many answers were a success.
    pub(crate) successes: usize,
    /// The length of the largest answer, in bytes.
    pub(crate) largest: usize,
}

impl Outcome {
    pub(crate) fn join(self, other: Self) -> Self {
        Self {
            done: self.done + other.done,
            successes: self.successes + other.successes,
            largest: self.largest.max(other.largest),
        }
    }

    fn count(&mut self, answer: &Answer) {
        self.done += 1;
        self.successes += usize::from(answer.status < 300);
        self.largest = self.largest.max(answer.length);
    }
}

/// How long a connection waits between two requests, for each connection of its flood: so a flood
/// sends at most 2,000 a second. As many as can be sent would measure how the kernel shares two
/// cores between the attacker and the server.
const PAUSE: Duration = Duration::from_micros(500);

/// Asks again and again, each of `size` on a connection that is kept as long as it lasts. What is
/// asked is made of the connection's number and of how often it has asked.
fn flood(
    (from, to): (Ipv4Addr, SocketAddr),
    size: usize,
    request: impl Fn(usize, usize) -> Request + Clone + Send + 'static,
) -> Crowd<Outcome> {
    Crowd::of(size, move |number, stop| {
        let mut outcome = Outcome::default();
        let mut stream: Option<TcpStream> = None;
        let mut asked = 0;
        let pause = PAUSE * u32::try_from(size).unwrap_or(u32::MAX);
        while !is_over(stop) {
            std::thread::sleep(pause);
            let Ok(mut open) = stream.take().map_or_else(|| connect(from, to, false), Ok) else {
                continue;
            };
            asked += 1;
            if let Ok(answer) = ask(&mut open, &request(number, asked)) {
                outcome.count(&answer);
                stream = Some(open);
            }
        }
        outcome
    })
}

fn is_over(stop: &AtomicBool) -> bool {
    stop.load(Ordering::Relaxed)
}
