//! Settings of the site (`/api/admin/settings`), and an admin's own password.

use shop_core::account::ChangePassword;
use shop_core::revision::Revision;
use shop_core::site::{Analytics, AnalyticsPatch, PageData, PublishPage, PublishedPage, SitePage};

use crate::routes::auth;
use crate::routes::prelude::*;
use crate::staff::{Staff, UserAgent};

const HOME: &str = "/api/admin/settings/pagebuilder";
const ABOUT: &str = "/api/admin/settings/pagebuilder-about";
const ANALYTICS: &str = "/api/admin/settings/analytics";
const PASSWORD: &str = "/api/admin/settings/change-password";

/// A page with the little that stands around it in a body.
const PAGE_LIMIT: usize = PageData::MAX + 1024;

pub(super) fn rows() -> Vec<Route> {
    vec![
        admin(Method::GET, HOME, "adminGetHomePage", home).about("The first page, as published"),
        admin(Method::PATCH, HOME, "adminPublishHomePage", publish_home)
            .about("Publish the first page")
            .body_limit(PAGE_LIMIT),
        admin(Method::GET, ABOUT, "adminGetAboutPage", about)
            .about("The page about the shop, as published"),
        admin(Method::PATCH, ABOUT, "adminPublishAboutPage", publish_about)
            .about("Publish the page about the shop")
            .body_limit(PAGE_LIMIT),
        admin(Method::GET, ANALYTICS, "adminGetAnalytics", analytics).about("Ids of analytics"),
        admin(Method::PATCH, ANALYTICS, "adminUpdateAnalytics", update_analytics)
            .about("Change ids of analytics"),
        staff(Method::PATCH, PASSWORD, "adminChangePassword", change_password)
            .about("Change one's own password; all other sessions end")
            .fails(&[Code::WrongPassword, Code::RateLimited])
            .headers(&[Header::SetCookie]),
    ]
}

/// A change was kept.
#[derive(Debug, Serialize, JsonSchema)]
struct Saved {
    /// True.
    saved: bool,
}

fn saved(revision: Revision) -> Versioned<Saved> {
    Versioned(Saved { saved: true }, revision)
}

async fn home(call: Call<Admin>) -> Result<Versioned<PublishedPage>> {
    page(&call, SitePage::Home).await
}

async fn about(call: Call<Admin>) -> Result<Versioned<PublishedPage>> {
    page(&call, SitePage::About).await
}

async fn page(call: &Call<Admin>, which: SitePage) -> Result<Versioned<PublishedPage>> {
    let page = call.shop().site().get_page(which).await?;
    let revision = page.revision.clone();
    Ok(Versioned(page, revision))
}

async fn publish_home(
    call: Call<Admin>,
    IfMatch(expected): IfMatch,
    Json(new): Json<PublishPage>,
) -> Result<Versioned<Saved>> {
    call.shop().site().publish(&call.actor(), SitePage::Home, new, expected).await.map(saved)
}

async fn publish_about(
    call: Call<Admin>,
    IfMatch(expected): IfMatch,
    Json(new): Json<PublishPage>,
) -> Result<Versioned<Saved>> {
    call.shop().site().publish(&call.actor(), SitePage::About, new, expected).await.map(saved)
}

async fn analytics(call: Call<Admin>) -> Result<Versioned<Analytics>> {
    call.shop().site().get_analytics().await.and_then(Versioned::of)
}

async fn update_analytics(
    call: Call<Admin>,
    IfMatch(expected): IfMatch,
    Json(patch): Json<AnalyticsPatch>,
) -> Result<Versioned<Saved>> {
    let analytics = call.shop().site().update_analytics(&call.actor(), patch, expected).await?;
    Ok(saved(analytics.revision()?))
}

async fn change_password(
    call: Call<Staff>,
    program: UserAgent,
    Json(input): Json<ChangePassword>,
) -> Result<WithHeaders<Message>> {
    auth::set_password(&call, &call.caller.account.id, program, input).await
}
