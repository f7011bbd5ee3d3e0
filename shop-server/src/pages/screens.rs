//! The addresses of screens, all of which one page answers that shows the screen of its address.

use std::path::Path;

/// The screens of the back office. A star stands for one part of the path.
const OFFICE: &[&str] = &[
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
    "admin/returns",
    "admin/reviews",
    "admin/settings",
    "admin/shipments",
    "admin/shipping",
    "admin/stock",
    "admin/tasks",
    "admin/webhooks",
];

/// The screens of a storefront, of which home has two addresses.
const STOREFRONT: &[&str] = &[
    "busca",
    "cadastro",
    "carrinho",
    "categoria/*",
    "conta",
    "conta/*",
    "conta/*/*",
    "contato",
    "finalizar",
    "index.html",
    "p/*",
    "pedido/*",
    "pedidos",
    "pedidos/*",
    "produto/*",
    "senha",
];

/// Whether this is the address of a screen of the back office.
pub(super) fn are_office(path: &Path) -> bool {
    contain(OFFICE, path)
}

/// Whether this is the address of a screen of a storefront.
pub(super) fn are_storefront(path: &Path) -> bool {
    path.as_os_str().is_empty() || contain(STOREFRONT, path)
}

/// The names of files have a dot, identifiers have none.
fn contain(screens: &[&str], path: &Path) -> bool {
    let parts: Option<Vec<&str>> = path.iter().map(|part| part.to_str()).collect();
    let Some(parts) = parts else { return false };
    screens.iter().any(|screen| {
        let wanted: Vec<&str> = screen.split('/').collect();
        let fits = |(wanted, part): (&&str, &&str)| match *wanted {
            "*" => !part.contains('.'),
            name => name == *part,
        };
        wanted.len() == parts.len() && wanted.iter().zip(&parts).all(fits)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_screen_is_an_address_and_never_a_file() {
        let screen = |path: &str| are_office(Path::new(path));
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

    #[test]
    fn the_storefronts_addresses_are_screens() {
        let screen = |path: &str| are_storefront(Path::new(path));
        for path in [
            "",
            "index.html",
            "produto/vela",
            "conta",
            "conta/enderecos",
            "conta/pedidos/1",
            "pedidos/1",
            "pedido/PED-1",
        ] {
            assert!(screen(path), "{path}");
        }
        for path in
            ["produto", "produto/a/b", "produto/a.js", "conta/a/b/c", "login", "loja/app.js"]
        {
            assert!(!screen(path), "{path}");
        }
    }
}
