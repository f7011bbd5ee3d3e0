//! Parcels and their labels.

use super::Check;

pub(super) const CHECKS: &[Check] = checks! {
    "shipment-states" (60)
        "what a shipment says of its label goes with its status":
        "SELECT id, 'it is ' || status || CASE
           WHEN status = 'DRAFT' THEN ', and it has a label or was paid'
           WHEN label_id IS NULL THEN ', and it has no label'
           WHEN status IN ('IN_CART', 'PAYING') THEN ', and it was paid'
           WHEN status = 'FAILED' THEN ', and it was paid'
           ELSE ', and it was never paid' END
         FROM shipment WHERE CASE
           WHEN status = 'DRAFT' THEN label_id IS NOT NULL OR paid_at IS NOT NULL
           WHEN status IN ('IN_CART', 'PAYING') THEN label_id IS NULL OR price IS NULL
             OR paid_at IS NOT NULL
           WHEN status IN ('PAID', 'GENERATED', 'POSTED', 'RETURNING', 'DELIVERED')
             THEN label_id IS NULL OR price IS NULL OR paid_at IS NULL
           WHEN status = 'FAILED' THEN paid_at IS NOT NULL
           ELSE paid_at IS NOT NULL AND label_id IS NULL END";
    "shipment-labels" (60)
        "a provider's label is of one shipment":
        "SELECT min(id), 'its label ' || label_id || ' is also of ' || max(id) FROM shipment
         WHERE label_id IS NOT NULL GROUP BY provider, label_id HAVING count(*) > 1";
    // What waits for staff says why.
    "shipment-next" (60)
        "a label that is being bought or given back is gone on with, or says what keeps it":
        "SELECT id, 'it is ' || status || ', and nothing is done about it' FROM shipment
         WHERE status IN ({moving})
           AND (check_at > {far} OR check_at IS NULL AND problem IS NULL)";
    "sandbox-labels" (61)
        "a label that the sandbox was paid for is of a shipment that knows it, and one of a reference":
        "SELECT CAST(l.id AS TEXT), 'it is ' || l.status || ', its shipment is '
           || coalesce(s.status, 'not there')
         FROM sandbox_label l LEFT JOIN shipment s ON s.reference = l.reference
         WHERE l.status NOT IN ('IN_CART', 'CANCELLED')
           AND (s.id IS NULL OR s.status IN ('DRAFT', 'IN_CART', 'CANCELLED', 'FAILED'))
         UNION ALL
         SELECT CAST(min(id) AS TEXT), 'its reference was paid more than once' FROM sandbox_label
         WHERE status NOT IN ('IN_CART', 'CANCELLED') GROUP BY reference HAVING count(*) > 1";
};
