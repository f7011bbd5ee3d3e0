//! Payments, refunds, coupons, invoices.

use super::Check;

pub(super) const CHECKS: &[Check] = checks! {
    "coupon-uses" (2)
        "a coupon's count is that of the orders that use it":
        "SELECT c.id, 'it counts ' || CAST(c.used_count AS TEXT) || ' uses, there are '
           || CAST(coalesce(n.uses, 0) AS TEXT)
         FROM coupon c LEFT JOIN (
           SELECT coupon_id, count(*) AS uses FROM coupon_use GROUP BY coupon_id
         ) n ON n.coupon_id = c.id
         WHERE c.used_count <> coalesce(n.uses, 0)";
    "coupon-orders" (2)
        "a use of a coupon has its order, and a valid order with a coupon its use":
        "SELECT u.order_id, 'a use of a coupon without an order' FROM coupon_use u
         WHERE NOT EXISTS (SELECT 1 FROM orders o WHERE o.id = u.order_id)
         UNION ALL
         SELECT o.id, 'its coupon does not count its use' FROM orders o
         JOIN coupon c ON c.id = o.coupon_id
         WHERE o.status NOT IN ('CANCELLED', 'REFUNDED') AND NOT EXISTS (
           SELECT 1 FROM coupon_use u WHERE u.order_id = o.id)";
    // Staff may move an order anywhere; but money that came has moved it at least once.
    "payment-orders" (6)
        "a paid order has one payment, of its total, and was moved by it":
        "SELECT p.order_id, CAST(count(*) AS TEXT) || ' payments count as paid' FROM payment p
         WHERE p.status = 'PAID' GROUP BY p.order_id HAVING count(*) > 1
         UNION ALL
         SELECT p.id, 'it brought ' || CAST(p.captured AS TEXT) || ' cents, the order is of '
           || CAST(o.total AS TEXT)
         FROM payment p JOIN orders o ON o.id = p.order_id
         WHERE p.status = 'PAID' AND p.captured <> o.total
         UNION ALL
         SELECT p.id, 'it is ' || p.status || ' and brought ' || CAST(p.captured AS TEXT)
           || ' cents'
         FROM payment p
         WHERE p.status IN ('PENDING', 'FAILED', 'EXPIRED', 'CANCELLED') AND p.captured <> 0
         UNION ALL
         SELECT p.id, 'it is paid, and its order was never moved' FROM payment p
         WHERE p.status = 'PAID' AND NOT EXISTS (
           SELECT 1 FROM order_history h WHERE h.order_id = p.order_id)";
    // Of what was refunded before refunds were kept there is no more than the payment's status.
    // While one is on its way, what the provider says may be ahead of it.
    "payment-refunds" (6)
        "what went back of a payment is what its refunds come to, and no more than came":
        "WITH n AS (
           SELECT payment_id,
             sum(CASE status WHEN 'DONE' THEN amount ELSE 0 END) AS done,
             sum(CASE status WHEN 'PENDING' THEN amount ELSE 0 END) AS pending
           FROM refund GROUP BY payment_id
         ), b AS (
           SELECT p.id, p.captured, p.refunded, p.refund_reserved,
             coalesce(n.done, CASE p.status WHEN 'REFUNDED' THEN p.captured ELSE 0 END) AS done,
             coalesce(n.pending, 0) AS pending
           FROM payment p LEFT JOIN n ON n.payment_id = p.id
         )
         SELECT id, 'refunded: ' || CAST(refunded AS TEXT) || ' cents, its refunds come to '
           || CAST(done AS TEXT)
         FROM b WHERE refunded < done OR refunded > done AND pending = 0
         UNION ALL
         SELECT id, 'reserved: ' || CAST(refund_reserved AS TEXT) || ' cents, its refunds come to '
           || CAST(done + pending AS TEXT)
         FROM b WHERE refund_reserved <> done + pending
         UNION ALL
         SELECT id, 'more went back than came' FROM b
         WHERE refunded > captured OR refund_reserved > captured
         UNION ALL
         SELECT r.id, 'it is of another order than its payment' FROM refund r
         JOIN payment p ON p.id = r.payment_id WHERE p.order_id <> r.order_id";
    "payment-disputes" (17)
        "what was charged back of a payment is what its disputes take, and its status says so":
        "WITH b AS (
           SELECT p.id, p.status, p.captured, p.refunded, p.charged_back, coalesce(n.taken, 0) AS taken
           FROM payment p LEFT JOIN (
             SELECT payment_id, sum(amount) AS taken FROM dispute WHERE status <> 'WON'
             GROUP BY payment_id
           ) n ON n.payment_id = p.id
         )
         SELECT id, 'charged back: ' || CAST(charged_back AS TEXT) || ' cents, its disputes take '
           || CAST(taken AS TEXT)
         FROM b WHERE charged_back <> taken
         UNION ALL
         SELECT id, 'it is CHARGED_BACK, and something of it is left' FROM b
         WHERE status = 'CHARGED_BACK'
           AND (charged_back = 0 OR charged_back + refunded < captured)
         UNION ALL
         SELECT id, 'it is ' || status || ', and nothing of it is left' FROM b
         WHERE status IN ('PAID', 'REVIEW') AND charged_back > 0
           AND charged_back + refunded >= captured";
    // A number that another program used leaves a gap on purpose; one that was taken last and has
    // no invoice does not.
    "nfe-numbers" (12)
        "the last number of each series of invoices has its invoice":
        "SELECT s.book || ' ' || CAST(s.series AS TEXT), 'the last number is '
           || CAST(s.last AS TEXT) || ', the last invoice has '
           || coalesce(CAST(n.number AS TEXT), 'none')
         FROM nfe_series s LEFT JOIN (
           SELECT book, cnpj, series, max(number) AS number FROM nfe
           GROUP BY book, cnpj, series
         ) n ON n.book = s.book AND n.cnpj = s.cnpj AND n.series = s.series
         WHERE n.number IS NULL OR n.number <> s.last
         UNION ALL
         SELECT n.id, 'its series is not there' FROM nfe n WHERE NOT EXISTS (
           SELECT 1 FROM nfe_series s
           WHERE s.book = n.book AND s.cnpj = n.cnpj AND s.series = n.series)";
    "nfe-documents" (12)
        "an invoice has the documents that its status speaks of":
        "SELECT n.id, 'its document is not there' FROM nfe n
         WHERE n.digest IS NOT NULL AND NOT EXISTS (
           SELECT 1 FROM nfe_document d WHERE d.digest = n.digest AND d.nfe_id = n.id)
         UNION ALL
         SELECT n.id, 'it is ' || n.status || ' without what the tax office answered' FROM nfe n
         WHERE n.status IN ('AUTHORIZED', 'CANCELLED')
           AND (n.access_key IS NULL OR n.protocol IS NULL OR n.proc_xml IS NULL)";
    "nfe-returns" (54)
        "no more units are on invoices of returns than were sold":
        "SELECT n.book || ' ' || i.order_item_id,
           CAST(sum(i.quantity) AS TEXT) || ' units came back'
         FROM nfe_return_item i JOIN nfe n ON n.id = i.nfe_id
         WHERE n.status IN ({invoiced})
         GROUP BY n.book, n.order_id, i.order_item_id
         HAVING sum(i.quantity) > coalesce((SELECT o.quantity FROM order_item o
           WHERE o.order_id = n.order_id
             AND o.order_id || '-' || CAST(o.position AS TEXT) = i.order_item_id), 0)";
};
