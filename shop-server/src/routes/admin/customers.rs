//! Customers, for staff (`/api/admin/customers`), and the readers of the newsletter.

use bytes::Bytes;
use futures_util::{StreamExt, TryStreamExt};
use shop_core::account::SetActive;
use shop_core::id::AccountId;
use shop_core::newsletter::{Subscriber, SubscriberFilter};
use shop_core::page::Page;
use shop_core::revision::Revision;
use shop_core::views::{Customer, CustomerExportFilter, CustomerFilter, CustomerSummary};

use crate::output::{CSV, Revised};
use crate::routes::prelude::*;

const CUSTOMERS: &str = "/api/admin/customers";
const EXPORT: &str = "/api/admin/customers/export";
const CUSTOMER: &str = "/api/admin/customers/{id}";
const STATUS: &str = "/api/admin/customers/{id}/status";

pub(super) fn rows() -> Vec<Route> {
    vec![
        admin(Method::GET, CUSTOMERS, "adminListCustomers", list)
            .about("Customers, the latest first, found by name or e-mail"),
        admin(Method::GET, EXPORT, "adminExportCustomers", export)
            .about("Customers as a CSV file for spreadsheet programs, oldest first")
            .media(&["text/csv; charset=utf-8"])
            .details("Comes while it is made, however long."),
        admin(Method::GET, CUSTOMER, "adminGetCustomer", get)
            .about("A customer with the latest orders"),
        admin(Method::PATCH, STATUS, "adminSetCustomerStatus", set_status)
            .about("Suspend an account, which ends its sessions at once, or activate it again")
            .fails(&[Code::OwnAccount]),
        admin(Method::GET, "/api/admin/newsletter", "adminListReaders", readers)
            .about("The readers of the newsletter, also those that left it"),
    ]
}

async fn list(
    call: Call<Admin>,
    Query(filter): Query<CustomerFilter>,
) -> Result<Page<CustomerSummary>> {
    call.shop().customers().list(filter).await
}

async fn export(call: Call<Admin>, Query(filter): Query<CustomerExportFilter>) -> Result<Download> {
    let shop = call.shop();
    let file = shop.customers().export_csv(&call.actor(), filter).await?;
    Ok(Download {
        content_type: CSV,
        name: format!("clientes-{}.csv", shop.now().local_day()),
        pieces: file.map_ok(Bytes::from).boxed(),
    })
}

async fn get(call: Call<Admin>, Id(id): Id<AccountId>) -> Result<Versioned<Customer>> {
    call.shop().customers().get(&id).await.and_then(Versioned::of)
}

async fn set_status(
    call: Call<Admin>,
    Id(id): Id<AccountId>,
    IfMatch(expected): IfMatch,
    Json(wanted): Json<SetActive>,
) -> Result<Versioned<Customer>> {
    let customers = call.shop().customers();
    customers.set_active(&call.actor(), &id, wanted, expected).await.and_then(Versioned::of)
}

async fn readers(
    call: Call<Admin>,
    Query(filter): Query<SubscriberFilter>,
) -> Result<Page<Subscriber>> {
    call.shop().newsletter().list_subscribers(filter).await
}

impl Revised for Customer {
    fn revision(&self) -> Result<Revision> {
        self.account.revision()
    }
}
