//! The power goes at hundreds of points of orders and payments, and of ends in good order.

use crate::life::{Life, Machine};
use crate::medium::Left;
use crate::rng::Rng;
use shop_tests::repeats;

/// After how many times that the power goes the next shop begins.
const POINTS_OF_A_SHOP: u64 = 50;

/// `SHOP_DISK_POINTS` takes another number of points, `SHOP_DISK_FROM` begins with another.
fn number(name: &str, other: u64) -> u64 {
    std::env::var(name).ok().and_then(|it| it.parse().ok()).unwrap_or(other)
}

fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_current_thread().enable_time().build().expect("a runtime")
}

/// One stretch of trade, at some point of which the power goes: what is left.
fn live(life: &Life, machine: &Machine, point: u64) -> Left {
    let mut rng = Rng::new(point);
    let runtime = runtime();
    runtime.block_on(async {
        let shop = machine.open(&life.clock).await.expect("opens on what was left");
        life.check(&shop, &machine.file()).await;
        let within = *rng.pick(&[20, 200, 200, 600]).unwrap_or(&200);
        machine.disk.lose_power_at(1 + rng.below(within) as u64, point);
        while !machine.disk.is_off() {
            let traded = life.trade(&shop, rng.next(), 1).await;
            assert!(traded.is_ok() || machine.disk.is_off(), "{traded:?}");
            // In good order: the power goes while the log is brought home, or right after it.
            if rng.chance(12) {
                break;
            }
        }
    });
    drop(runtime);
    machine.disk.lose_power(point)
}

#[test]
fn nothing_that_was_answered_is_lost_wherever_the_power_goes() {
    let (from, points) =
        (number("SHOP_DISK_FROM", 0), number("SHOP_DISK_POINTS", repeats(150, 1_000)));
    let next = std::sync::atomic::AtomicU64::new(0);
    let answered = std::sync::atomic::AtomicUsize::new(0);
    let work = || {
        loop {
            let shop = next.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
            let first = from + shop * POINTS_OF_A_SHOP;
            if first >= from + points {
                return;
            }
            let sum = live_of_a_shop(first..(first + POINTS_OF_A_SHOP).min(from + points));
            answered.fetch_add(sum, std::sync::atomic::Ordering::Relaxed);
        }
    };
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| {
        let threads: Vec<_> = (0..threads).map(|_| scope.spawn(work)).collect();
        for thread in threads {
            thread.join().expect("no shop lost anything");
        }
    });
    let answered = answered.into_inner();
    println!("{points} points, {answered} answers that were there afterwards");
    assert!(answered as u64 > points, "only {answered} answers");
}

/// The power goes again and again; how much was answered in all.
fn live_of_a_shop(points: std::ops::Range<u64>) -> usize {
    let mut machine = Machine::new(&Left::new());
    let life = runtime().block_on(Life::begin(&machine));
    for point in points {
        println!("point {point}");
        let left = live(&life, &machine, point);
        machine = Machine::new(&left);
    }
    runtime().block_on(async {
        let shop = machine.open(&life.clock).await.expect("opens on what was left");
        life.check(&shop, &machine.file()).await;
    });
    life.answered().len()
}
