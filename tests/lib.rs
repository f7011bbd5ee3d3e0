//! What several programs of the tests share. The tests of the whole shop are in `it/`.

#[expect(dead_code, reason = "made for the tests in `it/`; the simulation needs a part of it")]
#[path = "it/database.rs"]
mod database;
pub mod sim;

/// How often a test does what depends on chance: the first where a developer waits for it, the
/// second with `SHOP_TEST_LONG`, as in CI.
pub fn repeats<N>(usual: N, long: N) -> N {
    if std::env::var_os("SHOP_TEST_LONG").is_some() { long } else { usual }
}
