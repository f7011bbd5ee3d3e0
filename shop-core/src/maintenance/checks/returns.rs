//! Goods that come back, and their money.

use super::Check;

pub(super) const CHECKS: &[Check] = checks! {
    "return-shelf" (53)
        "only a closed order has given units back, and none that are part of a return":
        "SELECT i.order_id, CAST(i.shelved AS TEXT) || ' units of line '
           || CAST(i.position AS TEXT) || ' are on the shelf, the order is ' || o.status
         FROM order_item i JOIN orders o ON o.id = i.order_id
         WHERE CASE WHEN o.status IN ('CANCELLED', 'REFUNDED')
           THEN i.shelved + i.returned > i.quantity ELSE i.shelved <> 0 END";
    "return-units" (53)
        "a unit of an order is in one return at most":
        "WITH held AS (
           SELECT r.order_id, i.position, sum(i.quantity - i.released) AS units
           FROM order_return_item i JOIN order_return r ON r.id = i.return_id
           WHERE r.status NOT IN ('REJECTED', 'CANCELLED') GROUP BY r.order_id, i.position
         )
         SELECT o.order_id, 'line ' || CAST(o.position AS TEXT) || ' counts '
           || CAST(o.returned AS TEXT) || ' units in returns, they have '
           || CAST(coalesce(held.units, 0) AS TEXT)
         FROM order_item o LEFT JOIN held
           ON held.order_id = o.order_id AND held.position = o.position
         WHERE o.returned <> coalesce(held.units, 0) OR o.returned > o.quantity
         UNION ALL
         SELECT i.return_id, 'a line that its order does not have' FROM order_return_item i
         JOIN order_return r ON r.id = i.return_id
         WHERE NOT EXISTS (SELECT 1 FROM order_item o
           WHERE o.order_id = r.order_id AND o.position = i.position)";
    // Of an item that was deleted since there is no shelf.
    "return-ledger" (53)
        "units of a return that are on the shelf have their movements":
        "SELECT i.return_id, CAST(i.restocked AS TEXT) || ' units are on the shelf, its movements say '
           || CAST(coalesce(m.units, 0) AS TEXT)
         FROM order_return_item i
         JOIN order_return r ON r.id = i.return_id
         JOIN order_item o ON o.order_id = r.order_id AND o.position = i.position
         JOIN stock s ON s.item_id = o.item_id
         LEFT JOIN (
           SELECT reference, item_id, sum(delta) AS units FROM stock_movement
           WHERE source = 'RETURN' GROUP BY reference, item_id
         ) m ON m.reference = i.return_id AND m.item_id = o.item_id
         WHERE i.restocked <> coalesce(m.units, 0)";
    "return-refunds" (53)
        "the money of a return is a refund of its order, once, and no more than was paid":
        "SELECT r.id, 'its refund is ' || f.status || ', it says ' || r.refund_status
         FROM order_return r JOIN refund f ON f.id = r.refund_id
         WHERE f.status <> r.refund_status OR f.order_id <> r.order_id
           OR f.amount <> r.refund_amount
         UNION ALL
         SELECT r.id, 'its refund is not there' FROM order_return r
         WHERE r.refund_id IS NOT NULL
           AND NOT EXISTS (SELECT 1 FROM refund f WHERE f.id = r.refund_id)
         UNION ALL
         SELECT r.id, 'it is ' || r.status || ', and its money is ' || r.refund_status
         FROM order_return r
         WHERE (r.status = 'REFUNDED') <> (r.refund_status = 'DONE')
         UNION ALL
         SELECT refund_id, 'it is the money of several returns' FROM order_return
         WHERE refund_id IS NOT NULL GROUP BY refund_id HAVING count(*) > 1
         UNION ALL
         SELECT r.order_id, 'more went back by returns than came' FROM order_return r
         WHERE r.refund_status = 'DONE' GROUP BY r.order_id
         HAVING sum(r.refund_amount) > (
           SELECT coalesce(sum(p.captured), 0) FROM payment p WHERE p.order_id = r.order_id)";
};
