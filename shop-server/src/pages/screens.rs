//! The addresses of the back office's screens.

use std::path::Path;

/// The addresses of the back office that one page answers, which shows the screen of its address.
const SCREENS: &[&str] = &[
    "admin",
    "admin/account",
    "admin/api-keys",
    "admin/audit",
    "admin/categories",
    "admin/coupons",
    "admin/customers",
    "admin/customers/*",
    "admin/invoices",
    "admin/newsletter",
    "admin/orders",
    "admin/orders/*",
    "admin/products",
    "admin/products/*",
    "admin/reviews",
    "admin/settings",
    "admin/shipping",
    "admin/stock",
    "admin/tasks",
    "admin/webhooks",
];

/// Whether this is the address of a screen. The names of files have a dot, identifiers have none.
pub(super) fn contain(path: &Path) -> bool {
    let Some(path) = path.to_str().map(|path| path.trim_end_matches('/')) else { return false };
    SCREENS.iter().any(|screen| match screen.strip_suffix('*') {
        None => *screen == path,
        Some(folder) => {
            path.strip_prefix(folder).is_some_and(|id| !id.is_empty() && !id.contains(['/', '.']))
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_screen_is_an_address_and_never_a_file() {
        let screen = |path: &str| contain(Path::new(path));
        for path in
            ["admin", "admin/", "admin/orders", "admin/orders/01a1fe9f", "admin/products/new"]
        {
            assert!(screen(path), "{path}");
        }
        for path in ["", "login", "admin/a", "admin/orders/a/b", "admin/orders/detail.js", "orders"]
        {
            assert!(!screen(path), "{path}");
        }
    }
}
