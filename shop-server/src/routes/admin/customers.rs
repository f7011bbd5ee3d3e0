//! Customers, for staff (`/api/admin/customers`), and the readers of the newsletter.

use bytes::Bytes;
use futures_util::{StreamExt, TryStreamExt};
use hyper::Method;
use hyper::header::HeaderValue;
use schemars::JsonSchema;
use serde::Deserialize;
use shop_core::Result;
use shop_core::account::SetActive;
use shop_core::id::AccountId;
use shop_core::newsletter::{Subscriber, SubscriberFilter};
use shop_core::page::Page;
use shop_core::views::Customer;
use shop_core::views::{CustomerExportFilter, CustomerFilter, CustomerSummary};

use crate::caller::Admin;
use crate::input::{IfMatch, Json, Path, Query};
use crate::output::{Download, Ok200, Versioned};
use crate::reply::Code;
use crate::route::{Call, Route, admin};

const CUSTOMERS: &str = "/api/admin/customers";
const EXPORT: &str = "/api/admin/customers/export";
const CUSTOMER: &str = "/api/admin/customers/{id}";
const STATUS: &str = "/api/admin/customers/{id}/status";

const CSV: HeaderValue = HeaderValue::from_static("text/csv; charset=utf-8");

pub(super) fn rows() -> Vec<Route> {
    vec![
        admin(Method::GET, CUSTOMERS, "adminListCustomers", list)
            .about("Customers, the latest first, found by name or e-mail"),
        admin(Method::GET, EXPORT, "adminExportCustomers", export)
            .about("Customers as a CSV file for spreadsheet programs, oldest first")
            .media(&["text/csv; charset=utf-8"])
            .details("Comes while it is made, however long."),
        admin(Method::GET, CUSTOMER, "adminGetCustomer", get)
            .about("A customer with the latest orders")
            .fails(&[Code::AccountNotFound]),
        admin(Method::PATCH, STATUS, "adminSetCustomerStatus", set_status)
            .about("Suspend an account, which ends its sessions at once, or activate it again")
            .fails(&[Code::AccountNotFound, Code::OwnAccount]),
        admin(Method::GET, "/api/admin/newsletter", "adminListReaders", readers)
            .about("The readers of the newsletter, also those that left it"),
    ]
}

#[derive(Debug, Deserialize, JsonSchema)]
struct CustomerPath {
    /// The account's id.
    id: AccountId,
}

async fn list(
    call: Call<Admin>,
    Query(filter): Query<CustomerFilter>,
) -> Result<Ok200<Page<CustomerSummary>>> {
    call.shop().customers().list(filter).await.map(Ok200)
}

async fn export(call: Call<Admin>, Query(filter): Query<CustomerExportFilter>) -> Result<Download> {
    let shop = call.shop();
    let file = shop.customers().export_csv(&call.caller.actor(), filter).await?;
    Ok(Download {
        content_type: CSV,
        name: format!("clientes-{}.csv", shop.now().local_day()),
        pieces: file.map_ok(Bytes::from).boxed(),
    })
}

async fn get(
    call: Call<Admin>,
    Path(CustomerPath { id }): Path<CustomerPath>,
) -> Result<Versioned<Ok200<Customer>>> {
    versioned(call.shop().customers().get(&id).await?)
}

async fn set_status(
    call: Call<Admin>,
    (Path(CustomerPath { id }), IfMatch(seen), Json(wanted)): (
        Path<CustomerPath>,
        IfMatch,
        Json<SetActive>,
    ),
) -> Result<Versioned<Ok200<Customer>>> {
    let by = call.caller.actor();
    versioned(call.shop().customers().set_active(&by, &id, wanted, seen).await?)
}

async fn readers(
    call: Call<Admin>,
    Query(filter): Query<SubscriberFilter>,
) -> Result<Ok200<Page<Subscriber>>> {
    call.shop().newsletter().list_subscribers(filter).await.map(Ok200)
}

fn versioned(customer: Customer) -> Result<Versioned<Ok200<Customer>>> {
    let revision = customer.account.revision()?;
    Ok(Versioned(Ok200(customer), revision))
}
