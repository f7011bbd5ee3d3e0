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
    "search-index" (1)
        "search finds the products that are on sale, and no others":
        {
            sqlite: "SELECT p.id, 'it is on sale and not in the index' FROM product p
             WHERE p.active = 1 AND (
               NOT EXISTS (SELECT 1 FROM product_search_docsize d WHERE d.id = p.pk)
               OR NOT EXISTS (SELECT 1 FROM product_name_search_docsize d WHERE d.id = p.pk))
             UNION
             SELECT coalesce(p.id, CAST(d.id AS TEXT)), 'it is in the index and not on sale'
             FROM (SELECT id FROM product_search_docsize
                   UNION SELECT id FROM product_name_search_docsize) d
             LEFT JOIN product p ON p.pk = d.id
             WHERE p.pk IS NULL OR p.active = 0"
            postgres: "SELECT p.id, 'it is on sale and not in the index as it is' FROM product p
             WHERE p.active = 1 AND NOT EXISTS (
               SELECT 1 FROM product_search s WHERE s.pk = p.pk
                 AND s.name_words = shop_words(p.name)
                 AND s.words = shop_words(p.name || ' ' || p.description))
             UNION
             SELECT p.id, 'it is in the index and not on sale'
             FROM product_search s JOIN product p ON p.pk = s.pk WHERE p.active = 0"
        };
    "search-admin" (7)
        "the back office's search finds every product":
        {
            sqlite: "SELECT p.id, 'it is not in the index' FROM product p
             WHERE NOT EXISTS (SELECT 1 FROM product_any_name_search_docsize d
                               WHERE d.id = p.pk)
             UNION
             SELECT CAST(d.id AS TEXT), 'it is in the index and gone'
             FROM product_any_name_search_docsize d
             WHERE NOT EXISTS (SELECT 1 FROM product p WHERE p.pk = d.id)"
            postgres: "SELECT p.id, 'it is not in the index as it is' FROM product p
             WHERE NOT EXISTS (SELECT 1 FROM product_any_name_search s
                               WHERE s.pk = p.pk AND s.words = shop_words(p.name))"
        };
    "search-words" (1)
        "every word of the index that is not too long can be found by its beginning":
        {
            sqlite: "SELECT w.term, 'it is no word of the catalogue' FROM temp.product_search_word w
             WHERE length(w.term) <= 200
               AND NOT EXISTS (SELECT 1 FROM search_word s WHERE s.word = w.term)"
            postgres: "SELECT w.term, 'it is no word of the catalogue' FROM (
               SELECT DISTINCT unnest(tsvector_to_array(words)) AS term FROM product_search) w
             WHERE length(w.term) <= 200 AND NOT EXISTS (
               SELECT 1 FROM search_word s WHERE s.word = w.term COLLATE \"C\")"
        };
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
