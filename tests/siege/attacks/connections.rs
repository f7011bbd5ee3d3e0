//! Connections that send nothing.

use std::net::TcpStream;
use std::time::Duration;

use super::{Attack, Outcome, is_over};
use crate::crowd::Crowd;
use crate::shop::Shop;
use crate::wire::{attacker, connect};

pub(crate) struct Connections {
    pub(crate) number: usize,
    /// How many of them come from the same address.
    pub(crate) by_address: usize,
    pub(crate) name: &'static str,
}

impl Attack for Connections {
    fn name(&self) -> &'static str {
        self.name
    }

    fn start(&self, shop: &Shop) -> Crowd<Outcome> {
        let (to, number, by_address) = (shop.address(), self.number, self.by_address);
        hold(
            number,
            move |n| connect(attacker(n / by_address), to, true).ok(),
            |stream| {
                // Nothing will come; whether the connection is still there, a look at it tells.
                stream.set_nonblocking(true).is_ok()
                    && matches!(stream.peek(&mut [0]),
                    Err(error) if error.kind() == std::io::ErrorKind::WouldBlock)
            },
        )
    }

    fn tell(&self, outcome: Outcome) -> String {
        if self.number == 0 { String::new() } else { format!("{} are kept", outcome.done) }
    }
}

/// Opens connections and holds them: each is touched once a second, and dropped when that fails.
pub(super) fn hold(
    number: usize,
    open: impl Fn(usize) -> Option<TcpStream> + Clone + Send + 'static,
    touch: fn(&mut TcpStream) -> bool,
) -> Crowd<Outcome> {
    Crowd::of(1, move |_, stop| {
        let mut held: Vec<TcpStream> = (0..number).filter_map(&open).collect();
        let (mut done, mut seconds) = (0, 0);
        while !is_over(stop) {
            held.retain_mut(touch);
            // Those that are turned away are, by then; and the server is not yet restarted.
            if seconds == 3 {
                done = held.len();
            }
            seconds += 1;
            std::thread::sleep(Duration::from_secs(1));
        }
        Outcome { done, ..Outcome::default() }
    })
}
