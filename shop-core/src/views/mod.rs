//! What staff and programs look at across aggregates. Only these files join tables of several owners.

mod audit;
mod customer;
mod order;
mod order_export;
mod order_records;
mod order_search;

pub use self::customer::{Customer, CustomerOrder};
pub use self::order::{OrderCustomer, OrderDetail, OrderMove};
pub use self::order_export::OrderExport;
pub use self::order_records::{OrderRecord, OrderRecordFilter};
pub use self::order_search::{OrderFilter, OrderRow};
