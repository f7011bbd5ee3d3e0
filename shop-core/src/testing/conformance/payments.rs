//! The rules of payment providers.

use super::provider::{Attempt, Card, Port, Tried};
use super::{Outcome, checks, must};
use crate::id::RefundId;
use crate::money::Money;
use crate::payment::{
    Answer, PixAndCards, ProviderError, ProviderPayment, ProviderRefundStatus, ProviderStatus,
    RefundRequest,
};

checks! {
    /// The checks of every payment provider.
    PAYMENT_CHECKS, PAYMENTS:
    a_payment_that_is_not_there_is_none_and_no_error,
    a_payment_is_fetched_as_it_was_begun,
    an_answer_names_no_other_attempt_or_order,
    a_key_that_comes_again_is_the_same_payment,
    a_payment_that_was_paid_is_reported_as_paid,
    a_payment_that_was_cancelled_is_reported_as_cancelled,
    a_paid_payment_is_not_cancelled,
    a_refund_goes_back_as_far_as_it_was_asked_for,
    a_refund_that_comes_again_goes_back_once,
    no_more_goes_back_than_there_is,
}

checks! {
    /// The further checks of a provider of PIX.
    PIX_CHECKS, PIX:
    a_pix_code_comes_with_its_text,
    a_pix_code_lives_as_long_as_it_was_asked_for,
    an_orders_payments_are_found_and_no_others,
}

checks! {
    /// The further checks of a provider of cards.
    CARD_CHECKS, CARDS:
    a_card_is_charged_once_for_one_key,
    a_card_that_is_refused_is_an_answer,
    a_token_that_does_not_hold_is_said_so,
}

checks! {
    /// The further checks of a provider of payment intents.
    INTENT_CHECKS, INTENTS:
    an_intent_comes_with_its_secret,
}

/// An id of which no provider knows a payment.
const UNKNOWN: &str = "999999999999";

fn ok<T>(answer: Answer<T>) -> Result<T, String> {
    answer.map_err(|error| format!("it answers with an error: {error:?}"))
}

async fn fetched(tried: &Tried<'_>, id: &str) -> Result<ProviderPayment, String> {
    ok(tried.provider().fetch(id).await)?
        .ok_or_else(|| format!("it does not know its payment {id}"))
}

async fn a_payment_that_is_not_there_is_none_and_no_error(tried: &Tried<'_>) -> Outcome {
    let found = ok(tried.provider().fetch(UNKNOWN).await)?;
    must(found.is_none(), || format!("it knows {found:?}"))
}

async fn a_payment_is_fetched_as_it_was_begun(tried: &Tried<'_>) -> Outcome {
    let begun = ok(tried.begin(&tried.attempt()).await)?;
    let found = fetched(tried, &begun.id).await?;
    for payment in [&begun, &found] {
        let said = (&payment.id, payment.amount, payment.currency.as_str(), payment.status);
        let expected = (&begun.id, tried.bench.amount, "BRL", ProviderStatus::Pending);
        must(said == expected, || format!("{said:?} instead of {expected:?}"))?;
        must(payment.method == begun.method, || format!("its method is {:?}", payment.method))?;
        must(payment.refunded == Money::ZERO, || format!("{} went back", payment.refunded))?;
    }
    Ok(())
}

async fn an_answer_names_no_other_attempt_or_order(tried: &Tried<'_>) -> Outcome {
    let attempt = tried.attempt();
    let begun = ok(tried.begin(&attempt).await)?;
    let found = fetched(tried, &begun.id).await?;
    [begun, found].iter().try_for_each(|payment| fits(payment, &attempt))
}

/// What may be left out must be right where it is said.
fn fits(payment: &ProviderPayment, attempt: &Attempt) -> Outcome {
    let of_attempt = payment.attempt.as_ref().is_none_or(|it| *it == attempt.id);
    must(of_attempt, || format!("it names the attempt {:?}", payment.attempt))?;
    let of_order = payment.reference.as_ref().is_none_or(|it| *it == attempt.order_number);
    must(of_order, || format!("it names the order {:?}", payment.reference))
}

async fn a_key_that_comes_again_is_the_same_payment(tried: &Tried<'_>) -> Outcome {
    let attempt = tried.attempt();
    let first = ok(tried.begin(&attempt).await)?.id;
    let again = ok(tried.begin(&attempt).await)?.id;
    must(first == again, || format!("{again} beside {first}"))
}

async fn a_payment_that_was_paid_is_reported_as_paid(tried: &Tried<'_>) -> Outcome {
    let Some(begun) = tried.paid().await? else { return Ok(()) };
    let found = fetched(tried, &begun.id).await?;
    let said = (found.status, found.amount);
    must(said == (ProviderStatus::Paid, tried.bench.amount), || format!("it says {said:?}"))
}

async fn a_payment_that_was_cancelled_is_reported_as_cancelled(tried: &Tried<'_>) -> Outcome {
    let begun = ok(tried.begin(&tried.attempt()).await)?;
    let answered = ok(tried.provider().cancel(&begun.id).await)?.status;
    let found = fetched(tried, &begun.id).await?.status;
    let cancelled = ProviderStatus::Cancelled;
    must((answered, found) == (cancelled, cancelled), || format!("{answered:?}, then {found:?}"))
}

async fn a_paid_payment_is_not_cancelled(tried: &Tried<'_>) -> Outcome {
    let Some(begun) = tried.paid().await? else { return Ok(()) };
    match tried.provider().cancel(&begun.id).await {
        Ok(ProviderPayment { status: ProviderStatus::Paid, .. })
        | Err(ProviderError::Refused(_)) => {}
        other => return Err(format!("it answers with {other:?}")),
    }
    let found = fetched(tried, &begun.id).await?.status;
    must(found == ProviderStatus::Paid, || format!("it is {found:?} since"))
}

/// A refund of some cents of a payment.
fn refund(tried: &Tried<'_>, payment: &ProviderPayment, cents: i64) -> RefundRequest {
    let refund: RefundId = tried.id().into();
    RefundRequest { refund, payment: payment.id.clone(), amount: Money::from_cents(cents) }
}

async fn a_refund_goes_back_as_far_as_it_was_asked_for(tried: &Tried<'_>) -> Outcome {
    let Some(begun) = tried.paid().await? else { return Ok(()) };
    let answered = ok(tried.provider().refund(&refund(tried, &begun, 1000)).await)?;
    must(answered.status != ProviderRefundStatus::Failed, || "it declines".to_owned())?;
    let found = fetched(tried, &begun.id).await?;
    let expected = match answered.status {
        ProviderRefundStatus::Pending => found.refunded,
        _ => Money::from_cents(1000),
    };
    let said = (found.status, found.refunded);
    must(said == (ProviderStatus::Paid, expected), || format!("it says {said:?} of R$ 10,00"))
}

async fn a_refund_that_comes_again_goes_back_once(tried: &Tried<'_>) -> Outcome {
    let Some(begun) = tried.paid().await? else { return Ok(()) };
    let request = refund(tried, &begun, 1000);
    let first = ok(tried.provider().refund(&request).await)?.id;
    let again = ok(tried.provider().refund(&request).await)?.id;
    must(first == again, || format!("{again} beside {first}"))?;
    let back = fetched(tried, &begun.id).await?.refunded;
    must(back <= request.amount, || format!("{back} went back instead of {}", request.amount))
}

async fn no_more_goes_back_than_there_is(tried: &Tried<'_>) -> Outcome {
    let Some(begun) = tried.paid().await? else { return Ok(()) };
    let more = tried.bench.amount.cents() + 1;
    match tried.provider().refund(&refund(tried, &begun, more)).await {
        Err(ProviderError::Refused(_)) => {}
        Ok(answered) if answered.status == ProviderRefundStatus::Failed => {}
        other => return Err(format!("it answers with {other:?}")),
    }
    let back = fetched(tried, &begun.id).await?.refunded;
    must(back == Money::ZERO, || format!("{back} went back"))
}

async fn a_pix_code_comes_with_its_text(tried: &Tried<'_>) -> Outcome {
    let begun = ok(tried.begin(&tried.attempt()).await)?;
    must(begun.pix_code.is_some_and(|code| !code.is_empty()), || "it has none".to_owned())
}

async fn a_pix_code_lives_as_long_as_it_was_asked_for(tried: &Tried<'_>) -> Outcome {
    let attempt = tried.attempt();
    let (asked, begun) = (tried.pix(&attempt).expires_at, ok(tried.begin(&attempt).await)?);
    let ends = begun.expires_at;
    must(ends.is_none_or(|ends| ends >= asked), || format!("it ends at {ends:?}, before {asked}"))
}

fn pix_port<'a>(tried: &Tried<'a>) -> Result<&'a dyn PixAndCards, String> {
    match tried.port {
        Port::PixAndCards(port) => Ok(port),
        Port::Intents(_) => Err("it is no provider of PIX and cards".to_owned()),
    }
}

async fn an_orders_payments_are_found_and_no_others(tried: &Tried<'_>) -> Outcome {
    let (port, attempt) = (pix_port(tried)?, tried.attempt());
    let none = ok(port.find(&attempt.order_number).await)?;
    must(none.is_empty(), || format!("before any it finds {none:?}"))?;
    let first = ok(tried.begin(&attempt).await)?.id;
    let again = Attempt { id: tried.attempt().id, ..attempt.clone() };
    let second = ok(tried.begin(&again).await)?.id;
    ok(tried.begin(&tried.attempt()).await)?;
    let found = ok(port.find(&attempt.order_number).await)?;
    let mut ids: Vec<String> = found.into_iter().map(|payment| payment.id).collect();
    let mut expected = vec![first, second];
    ids.sort_unstable();
    expected.sort_unstable();
    must(ids == expected, || format!("it finds {ids:?} instead of {expected:?}"))
}

async fn a_card_is_charged_once_for_one_key(tried: &Tried<'_>) -> Outcome {
    let (port, attempt) = (pix_port(tried)?, tried.attempt());
    let Some(request) = tried.charge(Card::Approved, &attempt) else { return Ok(()) };
    let first = ok(port.charge_card(&request).await)?;
    let said = (first.status, first.amount);
    must(said == (ProviderStatus::Paid, tried.bench.amount), || format!("it says {said:?}"))?;
    fits(&first, &attempt)?;
    let again = ok(port.charge_card(&request).await)?;
    must(first.id == again.id, || format!("{} beside {}", again.id, first.id))
}

async fn a_card_that_is_refused_is_an_answer(tried: &Tried<'_>) -> Outcome {
    let (port, attempt) = (pix_port(tried)?, tried.attempt());
    let Some(request) = tried.charge(Card::Refused, &attempt) else { return Ok(()) };
    let status = ok(port.charge_card(&request).await)?.status;
    must(status == ProviderStatus::Failed, || format!("it says {status:?}"))
}

async fn a_token_that_does_not_hold_is_said_so(tried: &Tried<'_>) -> Outcome {
    let (port, attempt) = (pix_port(tried)?, tried.attempt());
    let Some(request) = tried.charge(Card::Unknown, &attempt) else { return Ok(()) };
    let answered = port.charge_card(&request).await;
    let is_said = matches!(answered, Err(ProviderError::InvalidToken));
    must(is_said, || format!("it answers with {answered:?}"))
}

async fn an_intent_comes_with_its_secret(tried: &Tried<'_>) -> Outcome {
    let begun = ok(tried.begin(&tried.attempt()).await)?;
    let secret = begun.client_secret.as_ref().map(crate::config::Secret::reveal);
    must(secret.is_some_and(|it| !it.is_empty()), || "it has none".to_owned())
}
