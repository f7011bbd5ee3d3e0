//! What placing an order asks, as far as it is known before its job begins. Each question stands with
//! the statement that it asks by, in the store of its table.

use super::place::{Item, Placement};
use crate::context::Work;
use crate::storage::Question;
use crate::{account, catalog, shipping};

/// The questions of [`draft`](super::place::draft), for orders of these items.
pub(super) fn of(at: &Work, placement: &Placement, items: &[Item]) -> Vec<Question> {
    let Placement { customer, staff, order, request, rules, .. } = placement;
    let mut questions = vec![
        account::question_about_address(customer, &order.address_id),
        account::question(customer),
        shipping::question_about_boxes(),
    ];
    questions.extend(request.question(at.now()));
    if staff.is_none() {
        questions.extend(rules.limits.questions(customer));
    }
    for (product, variant, _) in items {
        questions.extend(catalog::questions_about_offered(product, variant.as_ref()));
    }
    questions
}
