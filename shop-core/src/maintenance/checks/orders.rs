//! Orders, and what is counted of them.

use super::Check;

pub(super) const CHECKS: &[Check] = checks! {
    "order-lines" (1)
        "every order has lines, and each comes to its price times its quantity":
        "SELECT o.id, 'it has no line' FROM orders o
         WHERE NOT EXISTS (SELECT 1 FROM order_item i WHERE i.order_id = o.id)
         UNION ALL
         SELECT i.order_id, 'line ' || CAST(i.position AS TEXT) || ' is of '
           || CAST(i.total AS TEXT) || ' cents, not ' || CAST(i.price * i.quantity AS TEXT)
         FROM order_item i WHERE i.total <> i.price * i.quantity";
    "order-totals" (1)
        "an order's total is the sum of its lines, less its discount, with its shipping":
        "SELECT o.id, 'its lines come to ' || CAST(n.total AS TEXT) || ' cents, its subtotal is '
           || CAST(o.subtotal AS TEXT)
         FROM orders o JOIN (
           SELECT order_id, sum(total) AS total FROM order_item GROUP BY order_id
         ) n ON n.order_id = o.id
         WHERE o.subtotal <> n.total
         UNION ALL
         SELECT o.id, 'its total is ' || CAST(o.total AS TEXT) || ' cents, not '
           || CAST(o.subtotal - o.discount + o.shipping AS TEXT)
         FROM orders o WHERE o.total <> o.subtotal - o.discount + o.shipping
         UNION ALL
         SELECT o.id, 'its discount or its shipping is out of range' FROM orders o
         WHERE o.discount < 0 OR o.discount > o.subtotal OR o.shipping < 0";
    "order-history" (1)
        "the last move of an order's history led to its status":
        "SELECT o.id, 'it is ' || o.status || ', its history says ' || coalesce(h.status, 'PENDING')
         FROM orders o LEFT JOIN (
           SELECT order_id, max(id) AS id FROM order_history GROUP BY order_id
         ) l ON l.order_id = o.id
         LEFT JOIN order_history h ON h.id = l.id
         WHERE o.status <> coalesce(h.status, 'PENDING')";
    "order-numbers" (1)
        "the numbers of each day run from 1 to its last":
        "SELECT coalesce(d.day, n.day), 'the last number is ' || CAST(coalesce(d.last, 0) AS TEXT)
           || ', there are ' || CAST(coalesce(n.orders, 0) AS TEXT) || ' orders'
         FROM (SELECT day FROM order_day UNION SELECT {day} FROM orders) a
         LEFT JOIN order_day d ON d.day = a.day
         LEFT JOIN (SELECT {day} AS day, count(*) AS orders FROM orders GROUP BY 1) n ON n.day = a.day
         WHERE coalesce(d.last, 0) <> coalesce(n.orders, 0)";
    "order-days" (18)
        "the orders of each day are counted by their status, and their revenue is summed up":
        "WITH n AS (
           SELECT {day} AS day,
             sum(CASE status WHEN 'PENDING' THEN 1 ELSE 0 END) AS pending,
             sum(CASE status WHEN 'PROCESSING' THEN 1 ELSE 0 END) AS processing,
             sum(CASE status WHEN 'SHIPPED' THEN 1 ELSE 0 END) AS shipped,
             sum(CASE status WHEN 'DELIVERED' THEN 1 ELSE 0 END) AS delivered,
             sum(CASE status WHEN 'CANCELLED' THEN 1 ELSE 0 END) AS cancelled,
             sum(CASE status WHEN 'REFUNDED' THEN 1 ELSE 0 END) AS refunded,
             sum(CASE WHEN status IN ({revenue}) THEN total ELSE 0 END)
               AS revenue
           FROM orders GROUP BY 1
         )
         SELECT d.day, 'its orders by status are counted wrongly' FROM order_day d
         LEFT JOIN n ON n.day = d.day
         WHERE d.pending <> coalesce(n.pending, 0) OR d.processing <> coalesce(n.processing, 0)
           OR d.shipped <> coalesce(n.shipped, 0) OR d.delivered <> coalesce(n.delivered, 0)
           OR d.cancelled <> coalesce(n.cancelled, 0) OR d.refunded <> coalesce(n.refunded, 0)
         UNION ALL
         SELECT d.day, 'its revenue is ' || CAST(d.revenue AS TEXT) || ' cents, its orders come to '
           || CAST(coalesce(n.revenue, 0) AS TEXT)
         FROM order_day d LEFT JOIN n ON n.day = d.day WHERE d.revenue <> coalesce(n.revenue, 0)";
    "product-days" (18)
        "what each product sold on each day that is summed up is what its orders say":
        "SELECT day || ' ' || product_id, 'the sums of the day and its orders differ by '
           || CAST(sum(units) AS TEXT) || ' units, ' || CAST(sum(revenue) AS TEXT) || ' cents'
         FROM (
           SELECT day, product_id, units, revenue FROM product_day
           UNION ALL
           SELECT o.day, i.product_id, -i.quantity, -i.total
           FROM (SELECT id, {day} AS day FROM orders
             WHERE status IN ({revenue})) o
           JOIN order_day d ON d.day = o.day AND d.summed = 1
           JOIN order_item i ON i.order_id = o.id
         ) a
         GROUP BY day, product_id HAVING sum(units) <> 0 OR sum(revenue) <> 0";
};
