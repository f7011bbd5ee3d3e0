//! The boxes that orders are packed in, for staff.

use serde_json::{Value, json};

use super::{deeds, etag, patch_seen};
use crate::http::TestServer;
use crate::http::client::Client;

const BOXES: &str = "/api/admin/shipping/boxes";

fn small() -> Value {
    json!({ "name": "Caixa P", "innerLength": 20, "innerWidth": 15, "innerHeight": 10,
            "outerLength": 20.5, "outerWidth": 15.5, "outerHeight": 10.5,
            "tareWeight": 0.12, "maxWeight": 5 })
}

async fn create(admin: &Client) -> Value {
    admin.post(BOXES, &small()).await.expect(201)
}

fn path(made: &Value) -> String {
    format!("{BOXES}/{}", made["id"].as_str().expect("an id"))
}

#[tokio::test]
async fn a_box_is_made_changed_and_deleted() {
    let server = TestServer::start().await;
    let admin = server.admin().await;
    let made = create(&admin).await;
    let mut expected = small();
    for (field, value) in [("id", made["id"].clone()), ("warnings", json!([]))] {
        expected[field] = value;
    }
    for field in ["innerLength", "innerWidth", "innerHeight", "maxWeight"] {
        expected[field] = json!(expected[field].as_f64());
    }
    assert_eq!(made, expected);
    assert_eq!(admin.get(BOXES).await.expect(200), json!([made]));
    assert_eq!(admin.get(&path(&made)).await.expect(200), made);
    let larger = json!({ "innerLength": 70, "outerLength": 71, "maxWeight": 31 });
    let changed = admin.patch(&path(&made), &larger).await.expect(200);
    assert_eq!((&changed["outerLength"], &changed["name"]), (&json!(71.0), &json!("Caixa P")));
    let warnings = json!(["surcharge_above70_cm", "too_heavy_for_correios"]);
    assert_eq!(changed["warnings"], warnings);
    admin.delete(&path(&made)).await.expect(200);
    assert_eq!(admin.get(BOXES).await.expect(200), json!([]));
    let deeds = deeds(&admin, made["id"].as_str().expect("an id")).await;
    let actions: Vec<&str> = deeds.iter().map(|(action, ..)| action.as_str()).collect();
    assert_eq!(actions, ["box.delete", "box.update", "box.create"]);
}

#[tokio::test]
async fn a_box_is_no_smaller_outside_than_inside_and_carries_more_than_itself() {
    let server = TestServer::start().await;
    let admin = server.admin().await;
    let mut wrong = small();
    wrong["outerWidth"] = json!(14.9);
    wrong["maxWeight"] = json!(0.12);
    let wrong = admin.post(BOXES, &wrong).await.wrong_fields();
    assert_eq!(wrong["outerWidth"], json!(["Não pode ser menor que a medida interna"]));
    assert_eq!(wrong["maxWeight"], json!(["Deve ser maior que o peso da caixa vazia"]));
    let made = create(&admin).await;
    let wrong = admin.patch(&path(&made), &json!({ "innerHeight": 11 })).await.wrong_fields();
    assert!(wrong["outerHeight"].is_array(), "{wrong}");
    let mut wrong = small();
    for field in ["innerLength", "outerLength", "tareWeight"] {
        wrong[field] = json!(-1);
    }
    let wrong = admin.post(BOXES, &wrong).await.wrong_fields();
    assert_eq!(wrong["innerLength"], json!(["Deve ser maior ou igual a 0,1"]));
    assert!(wrong["tareWeight"].is_array(), "{wrong}");
}

#[tokio::test]
async fn a_box_that_is_not_there_or_another_by_now_is_left_alone() {
    let server = TestServer::start().await;
    let admin = server.admin().await;
    let nothing = format!("{BOXES}/nothing");
    assert_eq!(admin.get(&nothing).await.refused(404).1, "box_not_found");
    assert_eq!(admin.patch(&nothing, &json!({})).await.refused(404).1, "box_not_found");
    assert_eq!(admin.delete(&nothing).await.refused(404).1, "box_not_found");
    let made = create(&admin).await;
    let seen = etag(&admin.get(&path(&made)).await);
    admin.patch(&path(&made), &json!({ "name": "Caixa pequena" })).await.expect(200);
    let late = patch_seen(&admin, &path(&made), &seen, &json!({ "name": "P" })).await;
    assert_eq!(late.refused(412).1, "changed_meanwhile");
}
