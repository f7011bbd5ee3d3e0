//! Where the shop's pages are.

use percent_encoding::{CONTROLS, utf8_percent_encode};

use super::Config;
use super::web_address::is_web_address;
use crate::value::Slug;

settings! {
    /// Where the shop's pages are (`[site]`).
    pub struct SiteConfig {
        /// The address of a product's page, with `{slug}` where its slug goes and, if wanted,
        /// `{base_url}`; see [`Config::product_url`].
        pub product_url: Option<String>,
    }
}

/// Where the storefronts that come with the program have a product's page.
const PRODUCT_URL: &str = "{base_url}/produto/{slug}";
const SLUG: &str = "{slug}";

impl Config {
    /// The address of a product's page: by `site.product_url`, `{base_url}/produto/{slug}` where
    /// that is not set.
    pub fn product_url(&self, slug: &Slug) -> String {
        let template = self.site.product_url.as_deref().unwrap_or(PRODUCT_URL);
        filled(template, &self.base_url(), slug.as_str())
    }

    /// The address of something of the shop that is named by a path, such as a picture; one that
    /// has an address already keeps it. What no address may have in it is escaped.
    pub fn absolute_url(&self, path: &str) -> String {
        let whole = if path.starts_with('/') {
            format!("{}{path}", self.base_url())
        } else {
            path.to_owned()
        };
        utf8_percent_encode(&whole, CONTROLS).to_string()
    }
}

/// Whether the addresses that a template makes differ by their slugs, and are some.
pub(super) fn is_product_url(template: &str) -> bool {
    let page = filled(template, "https://loja.example", "vela");
    template.contains(SLUG) && is_web_address(&page) && !page.contains(['{', '}', '#'])
}

fn filled(template: &str, base_url: &str, slug: &str) -> String {
    template.replace("{base_url}", base_url).replace(SLUG, slug)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with(template: Option<&str>) -> Config {
        let site = SiteConfig { product_url: template.map(str::to_owned) };
        Config { base_url: Some("https://loja.example/".to_owned()), site, ..Config::default() }
    }

    #[test]
    fn the_address_of_a_product_is_made_from_its_template() {
        let url = |template| with(template).product_url(&"vela-1".parse().expect("a slug"));
        assert_eq!(url(None), "https://loja.example/produto/vela-1");
        assert_eq!(url(Some("{base_url}/p?s={slug}")), "https://loja.example/p?s=vela-1");
        assert_eq!(url(Some("https://velas.example/{slug}")), "https://velas.example/vela-1");
    }

    #[test]
    fn a_template_names_the_slug_and_becomes_an_address() {
        for good in ["{base_url}/produto/{slug}", "https://velas.example/{slug}?de=feed"] {
            assert!(is_product_url(good), "{good}");
        }
        for bad in [
            "",
            "/produto/{slug}",
            "{base_url}/produto",
            "{slug}{base_url}",
            "ftp://velas.example/{slug}",
            "{base_url}/{slug}/{id}",
            "{base_url}/#{slug}",
            "{base_url}/a b/{slug}",
        ] {
            assert!(!is_product_url(bad), "{bad}");
        }
    }

    #[test]
    fn a_picture_has_an_address_wherever_it_is() {
        let url = |path| with(None).absolute_url(path);
        assert_eq!(url("/uploads/maçã.jpg"), "https://loja.example/uploads/ma%C3%A7%C3%A3.jpg");
        assert_eq!(url("https://cdn.example/a%20b.jpg?x=1"), "https://cdn.example/a%20b.jpg?x=1");
    }
}
