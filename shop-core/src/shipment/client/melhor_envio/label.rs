//! A label as Melhor Envio describes it: in its cart, among its orders, and inside a payment.

use serde_json::Value;

use super::answer::{garbage, is_id, kept};
use crate::clock::Timestamp;
use crate::shipment::provider::{
    LabelAnswer, LabelError, ProviderLabel, ProviderLabelStatus as Status,
};
use crate::shipping::client::answer::{amount, days, text};

/// The page that follows a parcel by the code that Melhor Envio itself gave it. The carriers' own
/// pages do not know that code.
const OWN_TRACKING: &str = "https://www.melhorrastreio.com.br/rastreio/";

/// Reads a label.
///
/// # Errors
/// [`LabelError::Unclear`] where it lacks what every label has, and where its status is none that
/// is known: such a word may mean anything.
pub(super) fn label(object: &Value) -> LabelAnswer<ProviderLabel> {
    let id = object["id"].as_str().filter(|id| is_id(id)).ok_or_else(garbage)?.to_owned();
    let (tracking_code, tracking_url) = tracking(object);
    let at = |field: &str| instant(&object[field]);
    let price = amount(&object["price"]).or_else(|| amount(&object["quote"]));
    Ok(ProviderLabel {
        id,
        reference: references(object).next().map(str::to_owned),
        status: status(object)?,
        price: price.ok_or_else(garbage)?,
        service_name: service_name(object),
        tracking_code,
        tracking_url,
        posted_at: at("posted_at").or_else(|| at("received_at")),
        delivered_at: at("delivered_at"),
        delivery_days: days(&object["delivery_max"]),
    })
}

/// The tags that a label was made with: one of them is the reference of its request.
pub(super) fn references(object: &Value) -> impl Iterator<Item = &str> {
    let tags = object["tags"].as_array().into_iter().flatten();
    tags.filter_map(|tag| text(tag, "tag").or_else(|| tag.as_str()))
}

/// How far a label has come. `status` may lag behind the instants: it may stay `released` after the
/// carrier made the label, and `paused` and `suspended` say nothing of how far it came. So the
/// further of the two holds. What ended a label, its status alone can say.
fn status(object: &Value) -> LabelAnswer<Status> {
    let is_set = |field: &str| instant(&object[field]).is_some();
    let named = match object["status"].as_str().unwrap_or_default() {
        "canceled" | "cancelled" => return Ok(Status::Cancelled),
        "delivered" => return Ok(Status::Delivered),
        "undelivered" => return Ok(Status::Undelivered),
        "expired" => return Ok(Status::Expired),
        // `received`: at a place where the carrier fetches parcels.
        "posted" | "received" => Some(Status::Posted),
        "generated" => Some(Status::Generated),
        "released" => Some(Status::Paid),
        "pending" => Some(Status::InCart),
        "paused" | "suspended" => None,
        unknown => return Err(unclear(unknown)),
    };
    if is_set("canceled_at") {
        return Ok(Status::Cancelled);
    }
    let generated =
        is_set("generated_at") || instant(&object["generated_key"]["finished_at"]).is_some();
    let reached = [
        (is_set("delivered_at"), Status::Delivered),
        (is_set("posted_at") || is_set("received_at"), Status::Posted),
        (generated, Status::Generated),
        (is_set("paid_at"), Status::Paid),
    ];
    let reached = reached.into_iter().find_map(|(is_reached, status)| is_reached.then_some(status));
    reached.max(named).ok_or_else(|| unclear("paused"))
}

fn unclear(status: &str) -> LabelError {
    LabelError::Unclear(format!("the label is \"{}\", which the shop does not know", kept(status)))
}

/// The carrier's own code where it is known, else Melhor Envio's with the page that knows it.
fn tracking(object: &Value) -> (Option<String>, Option<String>) {
    let own = text(object, "self_tracking").or_else(|| text(object, "melhorenvio_tracking"));
    let of_carrier = text(object, "tracking").or_else(|| text(object, "authorization_code"));
    match (of_carrier.filter(|code| Some(*code) != own), own) {
        (Some(code), _) => (Some(code.to_owned()), None),
        (None, Some(code)) if is_id(code) => {
            (Some(code.to_owned()), Some(format!("{OWN_TRACKING}{code}")))
        }
        _ => (None, None),
    }
}

/// Services by their numbers, for labels that name theirs by its number alone: without a name there
/// is no page of the carrier.
const SERVICES: [(i64, &str); 5] = [
    (1, "Correios PAC"),
    (2, "Correios SEDEX"),
    (3, "Jadlog .Package"),
    (4, "Jadlog .Com"),
    (17, "Correios Mini Envios"),
];

fn service_name(object: &Value) -> Option<String> {
    let service = &object["service"];
    let Some(name) = text(service, "name") else {
        let number = object["service_id"].as_i64()?;
        let known = SERVICES.iter().find(|(of, _)| *of == number);
        return known.map(|(_, name)| (*name).to_owned());
    };
    let company = text(&service["company"], "name");
    Some(company.map_or_else(|| name.to_owned(), |company| format!("{company} {name}")))
}

/// An instant: in UTC where no offset is said, as in all answers (`2026-11-21 13:01:08`).
fn instant(value: &Value) -> Option<Timestamp> {
    let text = value.as_str()?.trim();
    text.parse().ok().or_else(|| format!("{}Z", text.replacen(' ', "T", 1)).parse().ok())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::money::Money;

    /// A label as the cart answers with it, changed.
    fn with(change: Value) -> Value {
        let mut object = json!({
            "id": "9c1a4b7e-2f35-4a0e-8a7d-1b2c3d4e5f60", "protocol": "ORD-20261121000001",
            "service_id": 2, "agency_id": null, "status": "pending", "quote": 41.2, "price": 41.2,
            "discount": 4.33, "delivery_min": 2, "delivery_max": 3, "insurance_value": 119.6,
            "format": "box", "billed_weight": 0.75, "receipt": false, "own_hand": false,
            "collect": false, "reverse": false, "non_commercial": false,
            "authorization_code": null, "tracking": null, "self_tracking": null, "cte_key": null,
            "created_at": "2026-11-21 13:00:00", "updated_at": "2026-11-21 13:00:00",
            "paid_at": null, "generated_at": null, "posted_at": null, "received_at": null,
            "delivered_at": null, "canceled_at": null, "suspended_at": null, "expired_at": null,
            "products": [], "volumes": [], "tags": [{ "tag": "PED-20261121-0001-1", "url": null }]
        });
        let Value::Object(change) = change else { panic!("{change} is no object") };
        object.as_object_mut().expect("an object").extend(change);
        object
    }

    fn status_of(change: Value) -> Status {
        label(&with(change)).expect("a label").status
    }

    #[test]
    fn a_label_of_the_cart_is_read() {
        let read = label(&with(json!({}))).expect("a label");
        assert_eq!(read.id, "9c1a4b7e-2f35-4a0e-8a7d-1b2c3d4e5f60");
        assert_eq!(read.reference.as_deref(), Some("PED-20261121-0001-1"));
        assert_eq!((read.status, read.price), (Status::InCart, Money::from_cents(4120)));
        assert_eq!((read.delivery_days, read.tracking_code), (Some(3), None));
        assert_eq!(read.service_name.as_deref(), Some("Correios SEDEX"), "by its number");
        let unknown = label(&with(json!({ "service_id": 4711 }))).expect("a label");
        assert_eq!(unknown.service_name, None);
    }

    #[test]
    fn a_label_of_the_list_names_its_service_and_has_texts_for_numbers() {
        let company = json!({ "name": "Correios", "tracking_link": "https://correios.example/" });
        let service = json!({ "id": 2, "name": "SEDEX", "company": company });
        let of_list = with(json!({ "price": "41.20", "delivery_max": "3", "service": service,
                                   "invoice": { "key": "35261112345678000195550010000000011" } }));
        let read = label(&of_list).expect("a label");
        assert_eq!(read.service_name.as_deref(), Some("Correios SEDEX"));
        assert_eq!((read.price, read.delivery_days), (Money::from_cents(4120), Some(3)));
    }

    #[test]
    fn every_status_is_read_and_instants_go_further_than_a_status_that_lags() {
        let at = "2026-11-21 13:01:08";
        for (status, expected) in [
            ("pending", Status::InCart),
            ("released", Status::Paid),
            ("generated", Status::Generated),
            ("received", Status::Posted),
            ("posted", Status::Posted),
            ("delivered", Status::Delivered),
            ("canceled", Status::Cancelled),
            ("cancelled", Status::Cancelled),
            ("undelivered", Status::Undelivered),
            ("expired", Status::Expired),
        ] {
            assert_eq!(status_of(json!({ "status": status })), expected, "{status}");
        }
        let released = |more: Value| {
            let mut change = json!({ "status": "released", "paid_at": at });
            change.as_object_mut().expect("one").extend(more.as_object().expect("one").clone());
            status_of(change)
        };
        assert_eq!(released(json!({ "generated_at": at })), Status::Generated);
        assert_eq!(released(json!({ "generated_key": { "finished_at": at } })), Status::Generated);
        assert_eq!(released(json!({ "generated_key": { "failed_at": at } })), Status::Paid);
        assert_eq!(released(json!({ "posted_at": at })), Status::Posted);
        assert_eq!(released(json!({ "canceled_at": at })), Status::Cancelled);
        let paused = json!({ "status": "paused", "paid_at": at, "posted_at": at });
        assert_eq!(status_of(paused), Status::Posted);
        let suspended = json!({ "status": "suspended", "paid_at": at, "suspended_at": at });
        assert_eq!(status_of(suspended), Status::Paid);
        // A word that means nothing to the shop says nothing of the label, whatever else stands
        // there.
        for unknown in [json!("refunding"), json!(""), json!(null), json!("paused")] {
            let read = label(&with(json!({ "status": unknown })));
            assert!(matches!(read, Err(LabelError::Unclear(_))), "{unknown}: {read:?}");
        }
        let read = label(&with(json!({ "status": "refunding", "paid_at": at, "posted_at": at })));
        assert!(matches!(&read, Err(LabelError::Unclear(why)) if why.contains("refunding")));
        // The status of a label that came back after it was posted.
        let back = json!({ "status": "undelivered", "posted_at": at });
        assert_eq!(status_of(back), Status::Undelivered);
    }

    #[test]
    fn instants_without_an_offset_are_utc_and_those_with_one_keep_it() {
        let posted = |at: &str| {
            let read = label(&with(json!({ "status": "posted", "posted_at": at })));
            read.expect("a label").posted_at.map(|at| at.to_string())
        };
        let expected = Some("2026-11-21T13:01:08.000Z".to_owned());
        assert_eq!(posted("2026-11-21 13:01:08"), expected);
        assert_eq!(posted("2026-11-21T10:01:08-03:00"), expected);
        assert_eq!(posted("yesterday"), None);
    }

    #[test]
    fn the_carriers_code_comes_first_and_the_providers_own_goes_to_its_page_only() {
        let codes = |change: Value| {
            let read = label(&with(change)).expect("a label");
            (read.tracking_code, read.tracking_url)
        };
        let own = Some(format!("{OWN_TRACKING}ME26000ABCDBR"));
        let all = json!({ "tracking": "AA123456785BR", "authorization_code": "8000123",
                          "self_tracking": "ME26000ABCDBR" });
        assert_eq!(codes(all), (Some("AA123456785BR".to_owned()), None));
        let jadlog = json!({ "authorization_code": "8000123", "self_tracking": "ME26000ABCDBR" });
        assert_eq!(codes(jadlog), (Some("8000123".to_owned()), None));
        for field in ["self_tracking", "melhorenvio_tracking"] {
            let only = json!({ field: "ME26000ABCDBR" });
            assert_eq!(codes(only), (Some("ME26000ABCDBR".to_owned()), own.clone()));
        }
        let same = json!({ "tracking": "ME26000ABCDBR", "self_tracking": "ME26000ABCDBR" });
        assert_eq!(codes(same), (Some("ME26000ABCDBR".to_owned()), own));
        assert_eq!(codes(json!({ "tracking": "" })), (None, None));
    }

    #[test]
    fn what_is_no_label_is_none() {
        for change in [
            json!({ "id": 7 }),
            json!({ "id": "../me" }),
            json!({ "price": null,
            "quote": null }),
        ] {
            assert!(matches!(label(&with(change)), Err(LabelError::Unclear(_))));
        }
    }
}
