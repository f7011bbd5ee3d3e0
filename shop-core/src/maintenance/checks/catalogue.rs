//! What is sold, and what is counted and indexed of it.

use super::Check;

pub(super) const CHECKS: &[Check] = checks! {
    "review-counts" (1)
        "a product's count and sum of ratings are those of its approved reviews":
        "SELECT p.id, 'it counts ' || CAST(p.review_count AS TEXT) || ' reviews and '
           || CAST(p.rating_sum AS TEXT) || ' points, there are '
           || CAST(coalesce(n.reviews, 0) AS TEXT) || ' and '
           || CAST(coalesce(n.points, 0) AS TEXT)
         FROM product p LEFT JOIN (
           SELECT product_id, count(*) AS reviews, sum(rating) AS points FROM review
           WHERE status = 'approved' GROUP BY product_id
         ) n ON n.product_id = p.id
         WHERE p.review_count <> coalesce(n.reviews, 0) OR p.rating_sum <> coalesce(n.points, 0)";
    "review-ratings" (2)
        "the ratings of a product are counted one by one":
        "WITH n AS (
           SELECT product_id,
             sum(CASE rating WHEN 1 THEN 1 ELSE 0 END) AS one,
             sum(CASE rating WHEN 2 THEN 1 ELSE 0 END) AS two,
             sum(CASE rating WHEN 3 THEN 1 ELSE 0 END) AS three,
             sum(CASE rating WHEN 4 THEN 1 ELSE 0 END) AS four,
             sum(CASE rating WHEN 5 THEN 1 ELSE 0 END) AS five
           FROM review WHERE status = 'approved' GROUP BY product_id
         )
         SELECT p.id, 'its reviews by rating are counted wrongly' FROM product p
         LEFT JOIN n ON n.product_id = p.id LEFT JOIN product_rating r ON r.product_id = p.id
         WHERE coalesce(r.one, 0) <> coalesce(n.one, 0)
           OR coalesce(r.two, 0) <> coalesce(n.two, 0)
           OR coalesce(r.three, 0) <> coalesce(n.three, 0)
           OR coalesce(r.four, 0) <> coalesce(n.four, 0)
           OR coalesce(r.five, 0) <> coalesce(n.five, 0)";
    "skus" (1)
        "every article number is taken by what has it":
        "SELECT i.id, 'its number ' || i.sku || ' is not taken by it' FROM (
           SELECT id, sku FROM product UNION ALL SELECT id, sku FROM variant
         ) i
         WHERE i.sku IS NOT NULL AND NOT EXISTS (
           SELECT 1 FROM sku k WHERE k.code = i.sku AND k.item_id = i.id)
         UNION ALL
         SELECT k.item_id, 'the number ' || k.code || ' is taken by what does not have it'
         FROM sku k
         WHERE NOT EXISTS (SELECT 1 FROM product p WHERE p.id = k.item_id AND p.sku = k.code)
           AND NOT EXISTS (SELECT 1 FROM variant v WHERE v.id = k.item_id AND v.sku = k.code)";
    "leftovers" (2)
        "carts and wishes are of products that there are":
        "SELECT c.id, 'a line of a cart whose product is gone' FROM cart_item c
         WHERE NOT EXISTS (SELECT 1 FROM product p WHERE p.id = c.product_id)
         UNION ALL
         SELECT c.id, 'a line of a cart whose variant is gone' FROM cart_item c
         WHERE c.variant_id IS NOT NULL
           AND NOT EXISTS (SELECT 1 FROM variant v WHERE v.id = c.variant_id)
         UNION ALL
         SELECT w.id, 'a wish whose product is gone' FROM wishlist_item w
         WHERE NOT EXISTS (SELECT 1 FROM product p WHERE p.id = w.product_id)
         UNION ALL
         SELECT r.product_id, 'counted ratings of a product that is gone' FROM product_rating r
         WHERE NOT EXISTS (SELECT 1 FROM product p WHERE p.id = r.product_id)";
};
