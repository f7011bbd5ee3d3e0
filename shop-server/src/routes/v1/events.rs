//! The log of what happened (`/api/v1/events`), for programs that ask instead of being told. Orders
//! and customers are part of it, so it takes the scope that shows those.

use shop_core::event::{EventId, EventPage};
use shop_core::page::{PageLimit, PageRequest};

use crate::routes::prelude::*;

pub(super) fn rows() -> Vec<Route> {
    vec![
        key(OrdersRead, Method::GET, "/api/v1/events", "v1ListEvents", list)
            .about("What happened, oldest first, to poll instead of receiving webhooks")
            .details(
                "Keep `next` and ask with it again. `gap` says that events right after yours are \
                 not kept any more.",
            ),
    ]
}

#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(default)]
struct EventFilter {
    /// The `next` of an answer: the events behind it. From the oldest that is kept where it is left
    /// out.
    after: Option<EventId>,
    /// Events a page at most, 50 where it is left out; above 100 is taken as 100.
    #[schemars(extend("default" = 50))]
    limit: Option<PageLimit>,
}

async fn list(
    call: Call<Key<OrdersRead>>,
    Query(EventFilter { after, limit }): Query<EventFilter>,
) -> Result<EventPage> {
    let limit = PageRequest::of_program(None, limit).limit;
    call.shop().events().list(after, limit).await
}
