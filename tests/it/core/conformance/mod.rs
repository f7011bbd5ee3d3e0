//! The conformance lists: the shop's own parts pass them, and each check catches a planted fault.

mod bank;
mod courier;
mod postman;

use shop_core::testing::conformance::Broken;

/// Tries a fault for each check: the check catches it, and without a fault none complains.
pub(super) fn hold<F: Copy + std::fmt::Debug>(
    checks: &[&str],
    planted: &[(F, &str)],
    verdict: impl Fn(Option<F>) -> Result<(), Broken>,
) {
    assert_eq!(verdict(None), Ok(()), "without a fault");
    for (fault, rule) in planted {
        let broken = verdict(Some(*fault)).expect_err(&format!("{fault:?} is not caught"));
        let rules: Vec<&str> = broken.0.iter().map(|(rule, _)| *rule).collect();
        assert!(rules.contains(rule), "{fault:?} is not caught by {rule}, but by {broken}");
    }
    for check in checks {
        assert!(planted.iter().any(|(_, rule)| rule == check), "no fault is planted for {check}");
    }
}

/// Runs a piece to its end, beside the test.
pub(super) fn wait<T>(piece: impl Future<Output = T>) -> T {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    runtime.expect("a runtime").block_on(piece)
}
