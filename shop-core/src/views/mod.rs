//! What staff and programs look at across aggregates. Joins of tables of several owners stand here,
//! but for the few that `tests/it/house/tables.rs` lists.

mod audit;
mod customer;
mod customer_export;
mod customer_search;
mod dashboard;
mod dashboard_days;
mod event_payload;
mod figures;
mod order;
mod order_export;
mod order_mails;
mod order_records;
mod order_search;
mod order_shipments;
mod parcel_trouble;
mod returns;
mod stock_list;
mod tasks;

pub use self::customer::{Customer, CustomerOrder};
pub use self::customer_export::CustomerExportFilter;
pub use self::customer_search::{CustomerCount, CustomerFilter, CustomerSummary};
pub(crate) use self::dashboard::TopProductsCache;
pub use self::dashboard::{
    Dashboard, Measure, Overview, OverviewFilter, Period, RecentBuyer, RecentOrder, ShopTotals,
    TopProduct,
};
pub use self::dashboard_days::OverviewDay;
pub use self::event_payload::EventPayload;
pub use self::figures::{Backlog, Figures};
pub use self::order::{OrderCustomer, OrderDetail, OrderMove};
pub use self::order_export::OrderExportFilter;
pub use self::order_mails::{MailOfOrder, MailState};
pub use self::order_records::{OrderRecord, OrderRecordFilter};
pub use self::order_search::{OrderFilter, OrderRow};
pub use self::order_shipments::{OrderShipment, OrderShipmentStatus, OrderShipmentStep};
pub use self::parcel_trouble::{ParcelInTrouble, ParcelTrouble};
pub use self::returns::{
    OrderWithReturns, ReturnDetail, ReturnFilter, ReturnRow, ReturnStep, WaitingReturn,
};
pub use self::stock_list::{StockFilter, StockList, StockMovement, StockSummary, StockVariant};
pub use self::tasks::{
    FailingMail, FailingWebhook, LowStock, OrderToSend, PaymentInReview, RefusedInvoice,
    ReviewToModerate, TaskFilter, Tasks, Waiting,
};
