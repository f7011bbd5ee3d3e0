//! What people and programs do in the shop.

/// An order that a customer wants.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Placement {
    pub(crate) customer: usize,
    /// Product and units.
    pub(crate) lines: Vec<(usize, i64)>,
    pub(crate) from_cart: bool,
    pub(crate) coupon: Option<usize>,
    pub(crate) key: Option<String>,
    /// The way to send it; the cheapest where none is named.
    pub(crate) option: Option<&'static str>,
}

/// Everything that is asked of the shop. Customers, products, orders and returns go by their places
/// in the model.
#[derive(Debug, Clone)]
pub(crate) enum Action {
    AddToCart {
        customer: usize,
        product: usize,
        units: i64,
    },
    ClearCart {
        customer: usize,
    },
    Place(Placement),
    /// The same order once more, with its key: the place in [`Model::keyed`].
    PlaceAgain(usize),
    Pix {
        order: usize,
    },
    Card {
        order: usize,
        token: String,
    },
    Intent {
        order: usize,
    },
    Cancel {
        order: usize,
    },
    AskReturn {
        order: usize,
        units: i64,
    },
    SetStatus {
        order: usize,
        to: &'static str,
    },
    Refund {
        order: usize,
        amount: Option<i64>,
        key: String,
    },
    /// The same refund once more, with its key: the place in [`Model::refunds`].
    RefundAgain(usize),
    Record {
        order: usize,
    },
    SetStock {
        product: usize,
        units: i64,
    },
    CountStock {
        product: usize,
        units: i64,
    },
    ChangeStock {
        product: usize,
        by: i64,
    },
    SyncStock {
        items: Vec<(usize, i64)>,
    },
    EditProduct {
        product: usize,
        price: i64,
        active: bool,
    },
    Suspend {
        customer: usize,
        active: bool,
    },
    SwitchCoupon {
        coupon: usize,
        active: bool,
    },
    Receive {
        place: usize,
        restock: i64,
    },
    RefundReturn {
        place: usize,
    },
    Notice {
        payment: String,
    },
    ForgedNotice {
        payment: String,
    },
    Event {
        payment: String,
    },
    Reconcile {
        order: usize,
    },
    Invoice {
        order: usize,
    },
    CancelInvoice {
        order: usize,
    },
    GiveUpInvoice {
        order: usize,
    },
    RunDue,
}

impl Action {
    /// The first word of it, for counts.
    pub(crate) fn name(&self) -> String {
        let text = format!("{self:?}");
        text.chars().take_while(char::is_ascii_alphanumeric).collect()
    }
}
