//! What each input needs. The rest has its default and is a public field, so that a later version
//! can bring a further one without breaking the programs that make the input here.

use crate::account::{
    BeginTwoFactor, ChangePassword, ConfirmTwoFactor, DisableTwoFactor, ForgotPassword,
    GuestCustomer, LogIn, NewAddress, NewPassword, PasswordAttempt, Register, ResetPassword,
    ResetToken, SetActive, TwoFactorCode,
};
use crate::api_key::{NewApiKey, Scope};
use crate::cart::{CartItemPatch, NewCartItem};
use crate::catalog::{
    BulkAction, BulkProducts, NewCategory, NewImage, NewReview, NewVariant, NewVariantOption,
    NewVariantType, NewVariantValue, SearchQuery,
};
use crate::coupon::{CouponType, NewCoupon};
use crate::guest::{JoinGuest, SetGuestPassword};
use crate::id::{OrderId, ProductId, VariantOptionId};
use crate::inventory::{StockDelta, StockSet, StockSync, SyncItem};
use crate::mail::ContactMessage;
use crate::money::{AskedAmount, Money};
use crate::newsletter::Subscribe;
use crate::notification::NotificationPatch;
use crate::order::{NewOrderNote, OrderToken};
use crate::payment::CardToken;
use crate::settlement::{PayByCard, RecordPayment, RecordedMethod};
use crate::shipping::{CalculateShipping, NewTariff};
use crate::site::{PageData, PublishPage};
use crate::value::{
    Cep, Email, Installments, PictureUrl, Price, Quantity, Rating, Since, Slug, StockChangeBy,
    StockLevel, Text, Uf, WebhookUrl,
};
use crate::webhook::{NewWebhook, Recover, Subscriptions, WebhookSecret};

/// Gives each input a `new` with what it needs, and says what the other fields are then.
macro_rules! inputs {
    ($(
        $(#[$doc:meta])*
        $input:ident($($field:ident: $type:ty),+) $({ $($rest:ident: $value:expr),+ })?;
    )+) => {$(
        impl $input {
            $(#[$doc])*
            pub fn new($($field: $type),+) -> Self {
                Self { $($field,)+ $($($rest: $value),+)? }
            }
        }
    )+};
}

inputs! {
    /// A customer to be registered.
    Register(name: Text<2, 120>, email: Email, password: NewPassword);
    /// A log-in without a code of a second factor.
    LogIn(email: String, password: PasswordAttempt) { code: None };
    /// Another password for an account.
    ChangePassword(current_password: PasswordAttempt, new_password: NewPassword);
    /// A request for a link to reset a password.
    ForgotPassword(email: Email);
    /// A new password, by a link from a mail.
    ResetPassword(token: ResetToken, password: NewPassword);
    /// The first step to two-factor log-ins.
    BeginTwoFactor(current_password: PasswordAttempt);
    /// The first code of an authenticator.
    ConfirmTwoFactor(code: TwoFactorCode);
    /// The end of two-factor log-ins.
    DisableTwoFactor(current_password: PasswordAttempt, code: TwoFactorCode);
    /// Whether a customer may log in.
    SetActive(active: bool);
    /// A guest who says no more than a name and an e-mail.
    GuestCustomer(name: Text<2, 120>, email: Email) { phone: None, cpf: None };
    /// A password for the guest whose order a link opens.
    SetGuestPassword(token: OrderToken, password: NewPassword);
    /// The orders of the guest whose order a link opens.
    JoinGuest(token: OrderToken);
    /// An address called "Casa", without a complement; an account's first one is its default.
    NewAddress(
        street: Text<1, 200>, number: Text<1, 20>, district: Text<1, 120>, city: Text<1, 120>,
        state: Uf, zip_code: Cep
    ) { label: Text::known("Casa"), complement: None, is_default: None };
    /// A key that does not expire.
    NewApiKey(name: Text<1, 120>, scopes: Vec<Scope>) { expires_at: None };
    /// So many units of a product itself, without a variant.
    NewCartItem(product_id: ProductId, quantity: Quantity) { variant_id: None };
    /// Another number of units of a line.
    CartItemPatch(quantity: Quantity);
    /// A category that shoppers see, its slug made of its name.
    NewCategory(name: Text<2, 120>) { slug: None, description: None, image: None, active: true };
    /// A picture behind those that stand before it.
    NewImage(url: PictureUrl) { alt: None, is_primary: false, order: None };
    /// A review without a title.
    NewReview(rating: Rating, body: Text<1, 4000>) { title: None };
    /// A variant without a SKU, told apart by these options.
    NewVariant(price: Price, stock: StockLevel, values: Vec<NewVariantValue>) {
        compare_price: None, sku: None, weight: None, length: None, width: None, height: None
    };
    /// An option that a variant takes.
    NewVariantValue(variant_option_id: VariantOptionId);
    /// A kind of variation in the first place.
    NewVariantType(name: Text<1, 60>, slug: Slug) { order: 0 };
    /// An option in the first place.
    NewVariantOption(value: Text<1, 60>) { order: 0 };
    /// The first page of what is found.
    SearchQuery(q: Text<1, 200>) { page: None, limit: None };
    /// One action on many products.
    BulkProducts(ids: Vec<ProductId>, action: BulkAction);
    /// A coupon that holds at once, for any subtotal, without an end.
    NewCoupon(code: Text<1, 60>, kind: CouponType, value: Money) {
        min_order_value: None, max_uses: None, expires_at: None, active: true
    };
    /// The stock of a product itself.
    StockSet(product_id: ProductId, stock: StockLevel) { variant_id: None };
    /// Units of a product itself that came or went.
    StockDelta(product_id: ProductId, delta: StockChangeBy) { variant_id: None };
    /// The stock of many items.
    StockSync(items: Vec<SyncItem>);
    /// The stock of the item with this article number.
    SyncItem(sku: String, stock: StockLevel);
    /// A message to the shop.
    ContactMessage(name: Text<1, 120>, email: Email, subject: Text<1, 200>, message: Text<1, 5000>);
    /// A reader of the newsletter without a name.
    Subscribe(email: Email) { name: None };
    /// Whether a notification was read.
    NotificationPatch(read: bool);
    /// A note that only staff see.
    NewOrderNote(note: Text<1, 1000>);
    /// A charge without an issuer.
    PayByCard(
        order_id: OrderId, token: CardToken, payment_method_id: Text<1, 40>,
        installments: Installments
    ) { issuer_id: None };
    /// All that an order costs, paid in this way.
    RecordPayment(method: RecordedMethod) { amount: None, note: None };
    /// A parcel of the weight that is taken where none is known.
    CalculateShipping(cep: Cep, subtotal: AskedAmount) { weight: None, items: None };
    /// What sending costs to these states.
    NewTariff(name: Text<1, 80>, states: Vec<Uf>, price: Money, estimated_days: u16);
    /// A page of the site.
    PublishPage(data: PageData);
    /// A receiver of events.
    NewWebhook(url: WebhookUrl, secret: WebhookSecret, events: Subscriptions);
    /// All that did not arrive since then.
    Recover(since: Since);
}
