//! Each property in many orders of its threads.

use shop_schedules as own;
use shuttle::scheduler::{PctScheduler, RandomScheduler};
use shuttle::{Config, Runner};

/// How many orders are tried of each, half of them with few changes between threads.
const SCHEDULES: usize = 1_000;

/// `SHOP_SCHEDULES` tries another number.
fn check(property: fn()) {
    let wanted = std::env::var("SHOP_SCHEDULES").ok().and_then(|it| it.parse().ok());
    let half = wanted.unwrap_or(SCHEDULES) / 2;
    let config = || {
        let mut config = Config::new();
        // SQLite runs on these stacks.
        config.stack_size = 1 << 20;
        config
    };
    Runner::new(RandomScheduler::new_from_seed(7, half), config()).run(property);
    Runner::new(PctScheduler::new_from_seed(7, 3, half), config()).run(property);
}

#[test]
fn no_answer_is_older_than_what_its_caller_knows() {
    check(own::no_answer_is_older_than_what_its_caller_knows);
}

#[test]
fn no_answer_is_older_than_the_index_it_came_from() {
    check(own::no_answer_is_older_than_the_index_it_came_from);
}

#[test]
fn rows_that_changed_are_never_missed() {
    check(own::rows_that_changed_are_never_missed);
}

#[test]
fn equal_questions_are_asked_once() {
    check(own::equal_questions_are_asked_once);
}

#[test]
fn no_use_is_lost() {
    check(own::no_use_is_lost);
}
