//! Units on the shelf.

use super::Check;

pub(super) const CHECKS: &[Check] = checks! {
    "stock-ledger" (1)
        "the movements of an item sum to its stock":
        "SELECT s.item_id, 'its stock is ' || CAST(s.quantity AS TEXT)
           || ', its movements sum to ' || CAST(coalesce(m.total, 0) AS TEXT)
         FROM stock s LEFT JOIN (
           SELECT item_id, sum(delta) AS total FROM stock_movement GROUP BY item_id
         ) m ON m.item_id = s.item_id
         WHERE s.quantity <> coalesce(m.total, 0)";
    "stock-chain" (76)
        "each movement names the one before it of its item, and the stock its last":
        "SELECT item_id, 'its movement ' || CAST(id AS TEXT) || ' does not name the one before it'
         FROM (SELECT item_id, id, previous,
                 lag(id) OVER (PARTITION BY item_id ORDER BY id) AS before FROM stock_movement) m
         WHERE coalesce(previous, 0) <> coalesce(before, 0)
         UNION ALL
         SELECT s.item_id, 'its stock does not name its last movement'
         FROM stock s LEFT JOIN (
           SELECT item_id, max(id) AS last FROM stock_movement GROUP BY item_id
         ) m ON m.item_id = s.item_id
         WHERE coalesce(s.last_movement, 0) <> coalesce(m.last, 0)";
    "stock-gone" (1)
        "the movements of an item that is gone sum to nothing":
        "SELECT m.item_id, 'it is gone, and its movements sum to '
           || CAST(sum(m.delta) AS TEXT)
         FROM stock_movement m
         WHERE NOT EXISTS (SELECT 1 FROM stock s WHERE s.item_id = m.item_id)
         GROUP BY m.item_id HAVING sum(m.delta) <> 0";
    "stock-items" (1)
        "every product and variant has its stock, and nothing else has":
        "SELECT p.id, 'a product without stock' FROM product p WHERE NOT EXISTS (
           SELECT 1 FROM stock s
           WHERE s.item_id = p.id AND s.product_pk = p.pk AND s.is_variant = 0)
         UNION ALL
         SELECT v.id, 'a variant without stock'
         FROM variant v JOIN product p ON p.id = v.product_id WHERE NOT EXISTS (
           SELECT 1 FROM stock s
           WHERE s.item_id = v.id AND s.product_pk = p.pk AND s.is_variant = 1)
         UNION ALL
         SELECT s.item_id, 'stock of nothing that there is' FROM stock s
         WHERE NOT EXISTS (SELECT 1 FROM product p WHERE p.id = s.item_id)
           AND NOT EXISTS (SELECT 1 FROM variant v WHERE v.id = s.item_id)";
    "stock-sold" (80)
        "the units that an item sold are those of its orders":
        "WITH line AS (
           SELECT i.product_id, i.item_id, i.quantity FROM order_item i
           JOIN orders o ON o.id = i.order_id
           WHERE o.status NOT IN ('CANCELLED', 'REFUNDED')
         ), counted AS (
           SELECT item_id, quantity FROM line
           UNION ALL SELECT product_id, quantity FROM line WHERE item_id <> product_id
         )
         SELECT s.item_id, 'it sold ' || CAST(s.sold AS TEXT) || ', its orders say '
           || CAST(coalesce(n.units, 0) AS TEXT)
         FROM stock s LEFT JOIN (
           SELECT item_id, sum(quantity) AS units FROM counted GROUP BY item_id
         ) n ON n.item_id = s.item_id
         WHERE s.sold <> coalesce(n.units, 0)";
    // Of variants only since the count began.
    "stock-lines" (7)
        "the order lines that a product counts are there":
        "SELECT s.item_id, 'it counts ' || CAST(s.order_lines AS TEXT) || ' lines, there are '
           || CAST(coalesce(n.lines, 0) AS TEXT)
         FROM stock s LEFT JOIN (
           SELECT product_id, count(*) AS lines FROM order_item GROUP BY product_id
         ) n ON n.product_id = s.item_id
         WHERE s.is_variant = 0 AND s.order_lines <> coalesce(n.lines, 0)";
};
