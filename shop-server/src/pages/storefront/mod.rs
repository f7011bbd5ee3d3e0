//! The page of a storefront: one for all of its screens, filled in for each address so that search
//! engines, messengers and browsers without scripts read what it shows (docs/storefront.md).

mod content;
mod head;
mod json_ld;
mod screen;

use std::path::Path;

use bytes::Bytes;
use hyper::StatusCode;
use shop_core::catalog::{Category, ProductFilter, ProductSummary};
use shop_core::{Config, Error, Result};

pub(super) use self::head::{category_url, home_url};
pub(super) use self::screen::Screen;
#[cfg(feature = "pages")]
pub(super) use self::screen::kept;
use super::screens;
use crate::app::App;

/// Where title, description and the like stand.
const HEAD: &str = "<!-- head -->";
/// Where the part stands that can be read without scripts.
const PAGE: &str = "<!-- page -->";

/// A page around two places that are filled in.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Shell {
    before: String,
    between: String,
    after: String,
}

impl Shell {
    /// The page in a text, if it has the place in its head. Without the other one nothing is shown
    /// to browsers without scripts.
    pub(super) fn of(text: &str) -> Option<Self> {
        let (before, rest) = text.split_once(HEAD)?;
        let (between, after) = rest.split_once(PAGE).unwrap_or((rest, ""));
        let [before, between, after] = [before, between, after].map(str::to_owned);
        Some(Self { before, between, after })
    }

    fn filled(&self, head: &str, page: &str) -> Bytes {
        [&self.before, head, &self.between, page, &self.after].concat().into()
    }
}

/// A page that was filled in.
struct Filled {
    status: StatusCode,
    body: Bytes,
}

/// The shop's name.
pub(super) fn name(config: &Config) -> &str {
    config.mail.from.name.as_deref().unwrap_or("Loja")
}

/// The page as the screen of an address shows it. Where there is no such product, category or
/// screen it is the bare page, as 404.
///
/// # Errors
/// Those of reading the catalogue.
async fn fill(app: &App, shell: &Shell, screen: &Path) -> Result<Filled> {
    let parts: Vec<&str> = screen.iter().filter_map(|part| part.to_str()).collect();
    let found = match parts[..] {
        [] | ["index.html"] => Some(home(app).await?),
        ["produto", slug] => product(app, slug).await?,
        ["categoria", slug] => category(app, slug).await?,
        _ if screens::are_storefront(screen) => Some(bare(app)),
        _ => None,
    };
    let status = if found.is_some() { StatusCode::OK } else { StatusCode::NOT_FOUND };
    let (head, page) = found.unwrap_or_else(|| bare(app));
    Ok(Filled { status, body: shell.filled(&head, &page) })
}

/// What stands in the head, and what can be read without scripts.
type Parts = (String, String);

/// Of a screen with nothing to say to others.
fn bare(app: &App) -> Parts {
    (head::title(name(app.shop.config())), String::new())
}

async fn product(app: &App, slug: &str) -> Result<Option<Parts>> {
    let product = match app.shop.products().get_by_slug(slug).await {
        Ok(product) => product,
        Err(Error::NotFound(_)) => return Ok(None),
        Err(other) => return Err(other),
    };
    let images = product.images.main_first()?;
    let head = head::of_product(app.shop.config(), name(app.shop.config()), &product, &images);
    Ok(Some((head, content::of_product(&product, &images))))
}

async fn category(app: &App, slug: &str) -> Result<Option<Parts>> {
    let found = shown_categories(app).await?.into_iter().find(|it| it.slug == *slug);
    let Some(category) = found else { return Ok(None) };
    let products = products(app, Some(slug)).await?;
    let head = head::of_category(app.shop.config(), name(app.shop.config()), &category);
    Ok(Some((head, content::of_category(&category, &products))))
}

async fn home(app: &App) -> Result<Parts> {
    let (categories, products) = (shown_categories(app).await?, products(app, None).await?);
    let head = head::of_home(app.shop.config(), name(app.shop.config()));
    Ok((head, content::of_home(name(app.shop.config()), &categories, &products)))
}

async fn shown_categories(app: &App) -> Result<Vec<Category>> {
    app.shop.categories().list().await
}

/// The first page of the products of a category, or of all.
async fn products(app: &App, category: Option<&str>) -> Result<Vec<ProductSummary>> {
    let category = category.map(str::parse).transpose().map_err(Error::from_source)?;
    let filter = ProductFilter { category, ..ProductFilter::default() };
    Ok(app.shop.products().list(filter).await?.data)
}

/// Text as it stands in HTML, between tags or in quotes, without what no document may have in it.
pub(super) fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars().filter(|c| !is_control(*c)) {
        match c {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            other => escaped.push(other),
        }
    }
    escaped
}

fn is_control(c: char) -> bool {
    c.is_control() && !matches!(c, '\t' | '\n' | '\r')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_is_filled_where_it_says() {
        let shell = Shell::of("a<!-- head -->b<!-- page -->c").expect("a page");
        assert_eq!(shell.filled("<1>", "<2>"), "a<1>b<2>c");
        assert_eq!(Shell::of("a<!-- head -->b").expect("a page").filled("<1>", ""), "a<1>b");
        assert_eq!(Shell::of("a<!-- page -->b"), None);
    }

    #[test]
    fn no_text_becomes_markup() {
        assert_eq!(
            escaped("<b title='x\"'>&\u{0}\u{1b}\n"),
            "&lt;b title=&#39;x&quot;&#39;&gt;&amp;\n"
        );
    }
}
