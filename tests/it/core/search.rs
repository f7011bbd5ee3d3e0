//! The search for products.

use proptest::prelude::*;
use serde_json::json;
use shop_core::actor::Actor;
use shop_core::catalog::SearchPage;

use super::catalog::{create, small_shop};
use super::fixture::{TestShop, input};

pub(super) async fn search(test: &TestShop, q: &str) -> SearchPage {
    test.shop.products().search(input(json!({ "q": q }))).await.expect("a page")
}

pub(super) async fn found(test: &TestShop, q: &str) -> Vec<String> {
    search(test, q).await.data.into_iter().map(|hit| hit.slug.to_string()).collect()
}

#[tokio::test]
async fn search_is_by_beginning_whatever_case_and_accents() {
    let test = small_shop().await;
    for q in ["maçã", "MACA", "mac", "m", "ma\u{303}ca", "maça"] {
        // The first has it in its name, the second in its description.
        assert_eq!(found(&test, q).await, ["vela-maca", "difusor"], "{q}");
    }
    assert_eq!(found(&test, "vela mac").await, ["vela-maca"]);
    assert_eq!(found(&test, "aca").await, Vec::<String>::new());
    assert_eq!(found(&test, "%").await, Vec::<String>::new());
}

#[tokio::test]
async fn hits_in_the_name_come_first_then_the_newest() {
    let test = TestShop::open().await;
    for (name, description) in
        [("Rosa", ""), ("Lilás", "Com rosa."), ("Botão de Rosa", ""), ("Íris", "Sem rosas")]
    {
        create(&test, json!({ "name": name, "description": description })).await.expect("made");
    }
    assert_eq!(found(&test, "rosa").await, ["botao-de-rosa", "rosa", "iris", "lilas"]);
    let second = input(json!({ "q": "rosa", "page": 2, "limit": 3 }));
    let second = test.shop.products().search(second).await.expect("a page");
    assert_eq!((second.data[0].slug.as_str(), second.pagination.total), ("lilas", 4));
}

#[tokio::test]
async fn what_was_found_is_marked_and_all_else_is_escaped() {
    let test = TestShop::open().await;
    let evil = json!({
        "name": "<script>vela</script> & \"cia\"", "slug": "evil", "description": "Uma <b>maçã</b>."
    });
    create(&test, evil).await.expect("a product");
    let hit = search(&test, "vel").await.data.remove(0);
    let name = "&lt;script&gt;<mark>vela</mark>&lt;/script&gt; &amp; &quot;cia&quot;";
    assert_eq!((hit.name.as_str(), hit.highlight.as_str()), (name, name));
    let hit = search(&test, "MAC").await.data.remove(0);
    assert_eq!(hit.highlight, "Uma &lt;b&gt;<mark>maçã</mark>&lt;/b&gt;.");
    assert!(!hit.name.contains("<mark>") && !hit.name.contains("<script"));
}

#[tokio::test]
async fn a_misspelt_word_finds_its_neighbour() {
    let test = TestShop::open().await;
    for name in ["Velas aromáticas de Lavanda", "Difusor de Baunilha"] {
        create(&test, json!({ "name": name })).await.expect("made");
    }
    for (q, slug) in [
        ("lavnda", "velas-aromaticas-de-lavanda"),
        ("lavamda", "velas-aromaticas-de-lavanda"),
        ("velas aromtica", "velas-aromaticas-de-lavanda"),
        ("baunila", "difusor-de-baunilha"),
        ("difusro baunila", "difusor-de-baunilha"),
    ] {
        let page = search(&test, q).await;
        assert_eq!((page.data[0].slug.as_str(), page.query.as_str()), (slug, q));
        assert!(page.data[0].name.contains("<mark>"), "{:?}", page.data[0]);
    }
    assert_eq!(found(&test, "xyzxyz").await, Vec::<String>::new());
    assert_eq!(found(&test, "lavanda baunilha").await, Vec::<String>::new());
}

#[test]
fn no_query_breaks_the_search() {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).build();
    let runtime = runtime.expect("a runtime");
    let test = runtime.block_on(small_shop());
    let queries = prop_oneof![any::<String>(), "[\"*^:(){}+ \\-'ANDORTv]{1,20}", "\\PC{1,40}"];
    proptest!(ProptestConfig::with_cases(200), |(q in queries)| {
        let Ok(query) = serde_json::from_value(json!({ "q": q })) else { return Ok(()) };
        let page = runtime.block_on(test.shop.products().search(query));
        prop_assert!(page.is_ok(), "{page:?}");
    });
}

#[tokio::test]
async fn a_word_that_touches_a_symbol_is_found() {
    let test = TestShop::open().await;
    let names = [
        ("Lamparina🕯️ de Cobre", "lamparina"),
        ("Turíbulo 🪔Prata", "prata"),
        ("Kit🤍Presente👩🏽‍🦰", "presente"),
        ("Bastão₿Novo🫠", "novo"),
    ];
    // PostgreSQL splits words by ICU, which counts letters in squares among the symbols.
    let squared = test.data.is_a_file().then_some(("Ⓜármore 🅱Velas", "🅱velas"));
    for (name, word) in names.into_iter().chain(squared) {
        let made = create(&test, json!({ "name": name, "description": format!("x{name}") })).await;
        let slug = made.expect("a product").slug.to_string();
        for typed in [word, &word[..word.len() - 1]] {
            assert_eq!(found(&test, typed).await, std::slice::from_ref(&slug), "{typed}");
            let office = json!({ "search": typed });
            let office = test.shop.products().list_for_admin(input(office)).await.expect("a page");
            assert_eq!(office.data.len(), 1, "{typed} in the back office");
        }
    }
    test.check_books().await;
}

#[tokio::test]
async fn a_word_that_is_too_long_to_be_kept_is_no_fault_of_the_books() {
    let test = TestShop::open().await;
    let id = test.product("vela", 1, 1000).await;
    let long = input(json!({ "description": format!("Guia: {}", "a".repeat(360)) }));
    test.shop.products().update(&Actor::System, &id, long, None).await.expect("updated");
    test.check_books().await;
}
