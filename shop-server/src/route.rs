//! A row of the endpoint table. Routing, access, limits and the OpenAPI document all come from it,
//! and a handler in the wrong row does not compile.

use std::net::IpAddr;
use std::sync::Arc;
use std::time::{Duration, Instant};

use bytes::Bytes;
use futures_util::future::BoxFuture;
use hyper::{Method, Response};
use shop_core::account::Accounts;
use shop_core::actor::Actor;
use shop_core::{Error, Result, Shop};

use crate::app::{App, Head};
use crate::body::{self, RequestBody};
use crate::caller::{Access, Acting, Admin, Caller, Customer, Newcomer, Public, Session, Shopper};
use crate::cookie::CookiesConfig;
use crate::input::{Content, Input};
use crate::key::{Demand, Key, PublicOrKey, SessionOrKey};
use crate::openapi::{Header, Operation, Schemas};
use crate::order_owner::{CardPayer, OrderOwner};
use crate::output::Output;
use crate::payload::Payload;
use crate::rate_limit::{Client, Rate};
use crate::reply::{Code, Failure};
use crate::staff::{Leaving, Own, Staff};

/// What a JSON body may weigh where a row says nothing else.
pub(crate) const JSON_LIMIT: usize = 64 * 1024;

/// A row of the endpoint table.
pub(crate) struct Route {
    pub(crate) method: Method,
    /// The path, parameters in braces.
    pub(crate) path: &'static str,
    /// The operation's name, unique over the table.
    pub(crate) operation: &'static str,
    /// One line for the OpenAPI document.
    pub(crate) about: &'static str,
    /// Further sentences for the OpenAPI document.
    pub(crate) details: &'static str,
    /// The refusals of the library that the answers may have, beside those that follow from access,
    /// rate, input and output.
    pub(crate) fails: &'static [Code],
    /// Headers of the answers that are no refusals.
    pub(crate) headers: &'static [Header],
    /// The types of an answer that is no JSON.
    pub(crate) media: &'static [&'static str],
    /// The security scheme of callers that sign their requests instead of logging in.
    pub(crate) signature: Option<&'static str>,
    /// Which callers are admitted.
    pub(crate) access: Access,
    /// How often one client may call, if that is limited.
    pub(crate) rate: Option<Rate>,
    /// Whether pages of other origins are refused that made a browser send its cookie.
    pub(crate) own_pages_only: bool,
    /// The largest body that is read.
    pub(crate) body_limit: usize,
    /// Whether answers are kept until the catalogue or the stock changes.
    pub(crate) cached: bool,
    /// Whether answers have an `ETag`, so that a client with the same bytes gets 304.
    pub(crate) tagged: bool,
    /// Adds inputs and outputs to the OpenAPI document.
    pub(crate) describe: fn(&mut Operation, &mut Schemas),
    endpoint: Endpoint,
}

/// A handler with its types erased, for bodies up to a limit.
type Endpoint = Box<
    dyn for<'a> Fn(usize, Arrival<'a>) -> BoxFuture<'a, Result<Response<Payload>, Failure>>
        + Send
        + Sync,
>;

/// What a handler is called with, besides its inputs.
pub(crate) struct Call<C> {
    pub(crate) app: Arc<App>,
    /// The caller; its type is the row's access rule.
    pub(crate) caller: C,
    /// The address that the call came from.
    pub(crate) client: IpAddr,
}

impl<C> Call<C> {
    pub(crate) fn shop(&self) -> &Shop {
        &self.app.shop
    }

    pub(crate) fn cookies(&self) -> &CookiesConfig {
        &self.app.options.cookies
    }

    /// Counts the call against a rate of its address, where a setting sets one; 0 does not.
    ///
    /// # Errors
    /// [`Failure::TooMany`].
    pub(crate) fn admit(
        &self,
        name: &'static str,
        max: u32,
        window: Duration,
    ) -> Result<(), Failure> {
        if max == 0 {
            return Ok(());
        }
        let rate = Rate { name, max: usize::try_from(max).unwrap_or(usize::MAX), window };
        let admitted =
            self.app.limiter.admit(rate, Client::Network(self.client), self.shop().now());
        admitted.map(drop).map_err(Failure::TooMany)
    }

    /// Accounts, on behalf of the client that calls.
    pub(crate) fn accounts(&self) -> Accounts<'_> {
        self.shop().accounts().from_client(self.client)
    }
}

impl<C: Acting> Call<C> {
    /// The actor that the audit log names.
    pub(crate) fn actor(&self) -> Actor {
        self.caller.actor()
    }
}

/// A request that has found its row.
pub(crate) struct Arrival<'a> {
    pub(crate) app: &'a Arc<App>,
    pub(crate) head: &'a Head,
    pub(crate) body: RequestBody,
}

/// A function that answers a call: of the call and its inputs, one argument each.
pub(crate) trait Handler<C, I>: Copy + Send + Sync + 'static {
    type Output: Output;
    type Error: Into<Failure>;

    fn handle(
        self,
        call: Call<C>,
        input: I,
    ) -> impl Future<Output = Result<Self::Output, Self::Error>> + Send;
}

macro_rules! handlers {
    ($($Input:ident $input:ident),*) => {
        impl<H, C, $($Input,)* F, O, E> Handler<C, ($($Input,)*)> for H
        where
            H: Fn(Call<C>, $($Input),*) -> F + Copy + Send + Sync + 'static,
            F: Future<Output = Result<O, E>> + Send + 'static,
            O: Output,
            E: Into<Failure>,
        {
            type Output = O;
            type Error = E;

            fn handle(
                self,
                call: Call<C>,
                ($($input,)*): ($($Input,)*),
            ) -> impl Future<Output = Result<O, E>> + Send {
                self(call, $($input),*)
            }
        }
    };
}

handlers!();
handlers!(A a);
handlers!(A a, B b);
handlers!(A a, B b, D d);
handlers!(A a, B b, D d, G g);

/// Makes the constructors of rows, which differ only in their caller: a handler with another type
/// of caller does not compile. Those with a scope take it first.
macro_rules! constructors {
    ($($(#[$doc:meta])* $name:ident $(<$scope:ident>)? ($caller:ty);)+) => {$(
        $(#[$doc])*
        pub(crate) fn $name<$($scope: Demand + Sync,)? I: Input>(
            $(_: $scope,)?
            method: Method,
            path: &'static str,
            operation: &'static str,
            handler: impl Handler<$caller, I>,
        ) -> Route {
            Route::new(method, path, operation, handler)
        }
    )+};
}

constructors! {
    /// A public row.
    public(Public);
    /// A row for carts, of sessions and of guests.
    shopper(Shopper);
    /// A row for sessions of any role.
    session(Session);
    /// A public row that a guest's cart and a session may come along to.
    newcomer(Newcomer);
    /// A row for the customer of an order, by a session or by a link.
    order_owner(OrderOwner);
    /// The same, for callers that have card payments left to try.
    card_payer(CardPayer);
    /// A row for customers.
    customer(Customer);
    /// A row for admins.
    admin(Admin);
    /// A row for sessions of any role that concerns the caller's own account.
    own(Own);
    /// A row for admins that concerns the caller's own account.
    staff(Staff);
    /// A public row that ends the session of a caller that has one.
    leaving(Leaving);
    /// A row for programs, by a key with the scope.
    key<S>(Key<S>);
    /// A public row; a key that is sent must have the scope.
    public_or_key<S>(PublicOrKey<S>);
    /// A row for sessions of any role, and for programs by a key with the scope.
    session_or_key<S>(SessionOrKey<S>);
}

/// Makes the methods by which a row says more of itself: each sets a field.
macro_rules! sayings {
    ($($(#[$doc:meta])* $name:ident($($arg:ident: $type:ty)?) $field:ident = $value:expr;)+) => {
        impl Route {$(
            $(#[$doc])*
            pub(crate) fn $name(mut self $(, $arg: $type)?) -> Self {
                self.$field = $value;
                self
            }
        )+}
    };
}

sayings! {
    /// Says in one line what it does.
    about(about: &'static str) about = about;
    /// Adds sentences to the OpenAPI document that the summary has no room for.
    details(details: &'static str) details = details;
    /// Lists the refusals of the library for the OpenAPI document. The tests over HTTP hold every
    /// answer against the document, so that they find a refusal that is missing here.
    fails(codes: &'static [Code]) fails = codes;
    /// Lists headers of the answers for the OpenAPI document.
    headers(headers: &'static [Header]) headers = headers;
    /// Names the types of an answer that is no JSON for the OpenAPI document.
    media(types: &'static [&'static str]) media = types;
    /// Names the security scheme of callers that sign their requests for the OpenAPI document.
    signed(scheme: &'static str) signature = Some(scheme);
    /// Limits how often one client may call.
    rate(rate: Rate) rate = Some(rate);
    /// Refuses pages of other origins that made a browser send its cookie, although the row is
    /// public: for rows that change the cookie itself.
    own_pages_only() own_pages_only = true;
    /// Reads larger bodies than other rows do.
    body_limit(bytes: usize) body_limit = bytes;
    /// Keeps answers until the catalogue or the stock changes. Only for public rows with
    /// answers that depend on path and query alone.
    cached() cached = true;
    /// Tags answers. Those that are [`Route::cached`] are tagged anyway.
    tagged() tagged = true;
}

impl Route {
    fn new<C: Caller, I: Input, H: Handler<C, I>>(
        method: Method,
        path: &'static str,
        operation: &'static str,
        handler: H,
    ) -> Self {
        Self {
            own_pages_only: C::ACCESS.knows_cookies() && !method.is_safe(),
            method,
            path,
            operation,
            about: "",
            details: "",
            fails: &[],
            headers: &[],
            media: &[],
            signature: None,
            access: C::ACCESS,
            rate: None,
            body_limit: JSON_LIMIT,
            cached: false,
            tagged: false,
            describe: describe::<I, H::Output>,
            endpoint: Box::new(move |limit, arrival| Box::pin(answer(handler, limit, arrival))),
        }
    }

    /// Identifies the caller, reads the body, parses, calls and renders, in this order.
    pub(crate) async fn run(&self, arrival: Arrival<'_>) -> Result<Response<Payload>, Failure> {
        (self.endpoint)(self.body_limit, arrival).await
    }
}

fn describe<I: Input, O: Output>(operation: &mut Operation, schemas: &mut Schemas) {
    I::describe(operation, schemas);
    O::describe(operation, schemas);
}

async fn answer<C: Caller, I: Input>(
    handler: impl Handler<C, I>,
    body_limit: usize,
    arrival: Arrival<'_>,
) -> Result<Response<Payload>, Failure> {
    let (app, head) = (arrival.app, arrival.head);
    let (caller, body) = admit::<C>(arrival, I::BODY, body_limit).await?;
    let mut input = None;
    app.parser.run(body.len(), &mut || input = Some(I::parse(head, &body))).await;
    // An input that took the body is its only owner.
    drop(body);
    let input = input.ok_or_else(|| Error::internal("an input was not parsed"))??;
    let call = Call { app: Arc::clone(app), caller, client: head.client };
    Ok(handler.handle(call, input).await.map_err(Into::into)?.render()?)
}

/// For how long a caller counts as identified while the body comes. Who sends it slowly may be
/// logged out, suspended or erased by then.
const IDENTIFIED: Duration = Duration::from_secs(1);

/// Identifies the caller and reads the body. Apart from [`answer`], which is compiled for each row.
async fn admit<C: Caller>(
    Arrival { app, head, body }: Arrival<'_>,
    content: Content,
    limit: usize,
) -> Result<(C, Bytes), Failure> {
    let caller = C::identify(app, head).await?;
    let (identified, timeout) = (Instant::now(), app.options.body_timeout);
    let body = match content {
        Content::Nothing => Bytes::new(),
        Content::Whole => body::read(body, limit, timeout).await?,
        #[cfg(feature = "media")]
        Content::File => crate::multipart::read_file(head, body, limit, timeout).await?,
    };
    if identified.elapsed() < IDENTIFIED {
        return Ok((caller, body));
    }
    // What the first look counted for a limit is taken back before the second counts it.
    drop(caller);
    Ok((C::identify(app, head).await?, body))
}
