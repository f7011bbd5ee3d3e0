//! The full-text indexes, which are derived from other tables.

use super::Check;

pub(super) const CHECKS: &[Check] = checks! {
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
    "search-customers" (9)
        "the back office's search finds every customer":
        {
            sqlite: "SELECT e.account_id, 'not in the index' FROM customer_entry e
             WHERE NOT EXISTS (SELECT 1 FROM customer_search_docsize d WHERE d.id = e.pk)
             UNION ALL
             SELECT CAST(d.id AS TEXT), 'in the index and gone' FROM customer_search_docsize d
             WHERE NOT EXISTS (SELECT 1 FROM customer_entry e WHERE e.pk = d.id)"
            postgres: "SELECT e.account_id, 'not in the index as it is' FROM customer_entry e
             JOIN account a ON a.id = e.account_id
             WHERE NOT EXISTS (SELECT 1 FROM customer_search s WHERE s.pk = e.pk
                               AND s.words = customer_words(a.name, a.email, a.active))"
        };
};
