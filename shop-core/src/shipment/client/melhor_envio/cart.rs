//! What Melhor Envio is told of a parcel when it goes into the cart.

use serde_json::{Value, json};

use crate::money::Money;
use crate::shipment::provider::{LabelAnswer, LabelError, LabelItem, LabelRequest, Party};
use crate::value::Weight;

/// The least value that a parcel is insured for.
const LEAST_INSURED: Money = Money::from_cents(100);
/// What the services of a quote are called, with their number behind it.
const QUOTED: &str = "me-";

/// The body of the request: one parcel, since Correios and others take one volume a label.
///
/// # Errors
/// [`LabelError::Refused`] for a service that is none of Melhor Envio's.
pub(super) fn request(request: &LabelRequest, platform: &str) -> LabelAnswer<Value> {
    let service = request.service.strip_prefix(QUOTED).unwrap_or(&request.service);
    let service: u32 = service
        .parse()
        .map_err(|_| LabelError::Refused("the service is none of Melhor Envio's".to_owned()))?;
    let [length, width, height] = request.sides;
    Ok(json!({
        "service": service,
        "from": party(&request.from),
        "to": party(&request.to),
        "products": request.items.iter().map(product).collect::<Vec<Value>>(),
        "volumes": [{
            "height": height, "width": width, "length": length,
            "weight": Weight::from_grams(request.grams),
        }],
        "options": options(request, platform),
    }))
}

/// In the cart the parcel is insured by `options.insurance_value`, which must be the value of the
/// goods, and so that of their invoice. Without an invoice a declaration of content goes with it.
fn options(request: &LabelRequest, platform: &str) -> Value {
    let mut options = json!({
        "insurance_value": request.declared_value.max(LEAST_INSURED),
        "receipt": false, "own_hand": false, "reverse": false,
        "non_commercial": request.invoice_key.is_none(),
        "platform": platform,
        "tags": [{ "tag": request.reference, "url": null }],
    });
    if let Some(key) = &request.invoice_key {
        options["invoice"] = json!({ "key": key });
    }
    options
}

fn product(item: &LabelItem) -> Value {
    json!({
        "name": item.name, "quantity": item.quantity, "unitary_value": item.unit_price,
        "weight": Weight::from_grams(item.grams),
    })
}

/// A person has `document`, a company `company_document` and `state_register`.
fn party(party: &Party) -> Value {
    let mut entry = json!({
        "name": party.name,
        "phone": party.phone.as_deref().unwrap_or_default(),
        "email": party.email.as_deref().unwrap_or_default(),
        "address": party.street,
        "number": party.number,
        "complement": party.complement.as_deref().unwrap_or_default(),
        "district": party.district,
        "city": party.city,
        "state_abbr": party.state,
        "country_id": "BR",
        "postal_code": party.zip_code,
    });
    // A CPF has eleven digits, a CNPJ fourteen characters.
    if party.document.len() > 11 {
        entry["company_document"] = json!(party.document);
        if let Some(registration) = &party.state_registration {
            entry["state_register"] = json!(registration);
        }
    } else {
        entry["document"] = json!(party.document);
    }
    entry
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::id::ShipmentId;

    fn shop() -> Party {
        Party {
            name: "Velas Aurora ME".to_owned(),
            phone: Some("11999990000".to_owned()),
            email: Some("loja@example.com".to_owned()),
            document: "12345678000195".to_owned(),
            state_registration: Some("123456789110".to_owned()),
            street: "Rua das Flores".to_owned(),
            number: "10".to_owned(),
            complement: None,
            district: "Centro".to_owned(),
            city: "São Paulo".to_owned(),
            state: "SP".to_owned(),
            zip_code: "01001000".to_owned(),
        }
    }

    fn ana() -> Party {
        Party {
            name: "Ana Souza".to_owned(),
            phone: Some("21988880000".to_owned()),
            email: Some("ana@example.com".to_owned()),
            document: "52998224725".to_owned(),
            state_registration: None,
            street: "Rua B".to_owned(),
            number: "5".to_owned(),
            complement: Some("ap 2".to_owned()),
            district: "Centro".to_owned(),
            city: "Rio de Janeiro".to_owned(),
            state: "RJ".to_owned(),
            zip_code: "20010020".to_owned(),
        }
    }

    fn of(service: &str, invoice_key: Option<&str>) -> LabelRequest {
        LabelRequest {
            shipment: ShipmentId::from("1"),
            reference: "PED-20261121-0001-1".to_owned(),
            order_number: "PED-20261121-0001".to_owned(),
            service: service.to_owned(),
            from: shop(),
            to: ana(),
            items: vec![LabelItem {
                name: "Vela lavanda 200 g".to_owned(),
                quantity: 2,
                unit_price: Money::from_cents(5980),
                grams: 300,
            }],
            sides: [20, 15, 10],
            grams: 750,
            declared_value: Money::from_cents(11960),
            invoice_key: invoice_key.map(str::to_owned),
        }
    }

    #[test]
    fn a_commercial_parcel_is_told_with_its_invoice() {
        let key = "35261112345678000195550010000000011000000019";
        let body = request(&of("me-1", Some(key)), "Velas Aurora").expect("a body");
        let expected = json!({
            "service": 1,
            "from": { "name": "Velas Aurora ME", "phone": "11999990000",
                "email": "loja@example.com", "company_document": "12345678000195",
                "state_register": "123456789110", "address": "Rua das Flores", "number": "10",
                "complement": "", "district": "Centro", "city": "São Paulo", "state_abbr": "SP",
                "country_id": "BR", "postal_code": "01001000" },
            "to": { "name": "Ana Souza", "phone": "21988880000", "email": "ana@example.com",
                "document": "52998224725", "address": "Rua B", "number": "5",
                "complement": "ap 2", "district": "Centro", "city": "Rio de Janeiro",
                "state_abbr": "RJ", "country_id": "BR", "postal_code": "20010020" },
            "products": [{ "name": "Vela lavanda 200 g", "quantity": 2, "unitary_value": 59.80,
                "weight": 0.3 }],
            "volumes": [{ "height": 10, "width": 15, "length": 20, "weight": 0.75 }],
            "options": { "insurance_value": 119.60, "receipt": false, "own_hand": false,
                "reverse": false, "non_commercial": false, "invoice": { "key": key },
                "platform": "Velas Aurora",
                "tags": [{ "tag": "PED-20261121-0001-1", "url": null }] },
        });
        assert_eq!(body, expected);
    }

    #[test]
    fn a_parcel_without_an_invoice_is_not_commercial_and_has_no_empty_key() {
        let mut parcel = of("2", None);
        parcel.declared_value = Money::from_cents(40);
        let body = request(&parcel, "Velas").expect("a body");
        assert_eq!(body["service"], 2);
        assert_eq!(body["options"]["non_commercial"], true);
        assert_eq!(body["options"].get("invoice"), None);
        assert_eq!(body["options"]["insurance_value"], json!(1.0), "the least that is insured");
    }

    #[test]
    fn a_service_of_another_carrier_is_refused() {
        for service in ["correios-03220", "", "me-", "me-x"] {
            assert!(matches!(request(&of(service, None), ""), Err(LabelError::Refused(_))));
        }
    }
}
