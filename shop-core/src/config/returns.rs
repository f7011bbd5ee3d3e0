//! Settings of returns.

use serde::Deserialize;

settings! {
    /// Rules about returns. The law sets what is the least; a shop may give more.
    #[derive(Copy)]
    pub struct ReturnsConfig {
        /// Days after delivery within which a customer may withdraw from a purchase without a
        /// reason, 7 (CDC, art. 49) or more.
        pub withdrawal_days: u32 = 7,
        /// Days after delivery within which a customer may return goods with a defect: 90 for
        /// durable goods, 30 for others (CDC, art. 26). A shop that sells both takes the longer
        /// one.
        pub defect_days: u32 = 90,
        /// What goes back of the freight before nothing of the order stays with the customer.
        pub refund_freight: RefundFreight = RefundFreight::Whole,
    }
}

/// What goes back of the freight that a customer paid, when goods come back. All of it does once
/// nothing of the order stays with the customer, whatever is set.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum RefundFreight {
    /// Nothing with a part of an order.
    Whole,
    /// With a part of an order its share, by what the goods were paid.
    Share,
}
