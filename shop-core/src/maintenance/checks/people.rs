//! Customers and what they leave.

use super::Check;

pub(super) const CHECKS: &[Check] = checks! {
    "cart-owners" (4)
        "a cart is a customer's or a guest's":
        "SELECT c.id, 'a line of nobody''s cart' FROM cart_item c
         WHERE NOT EXISTS (SELECT 1 FROM account a WHERE a.id = c.owner)
           AND NOT EXISTS (SELECT 1 FROM guest_cart g WHERE g.owner = c.owner)";
    "addresses" (1)
        "of a customer's addresses one is preferred":
        "SELECT account_id, CAST(count(*) AS TEXT) || ' addresses are preferred' FROM address
         WHERE is_default = 1 GROUP BY account_id HAVING count(*) > 1
         UNION ALL
         SELECT account_id, 'no address is preferred' FROM address
         GROUP BY account_id HAVING max(is_default) = 0";
    "customers" (9)
        "every customer has an entry in the list, and nobody else":
        "SELECT a.id, 'a customer without an entry' FROM account a
         WHERE a.role = 'CUSTOMER'
           AND NOT EXISTS (SELECT 1 FROM customer_entry e WHERE e.account_id = a.id)
         UNION ALL
         SELECT e.account_id, 'an entry of nobody who is a customer' FROM customer_entry e
         WHERE NOT EXISTS (
           SELECT 1 FROM account a WHERE a.id = e.account_id AND a.role = 'CUSTOMER')";
    "customer-counts" (9)
        "active and suspended customers are counted":
        "SELECT CASE t.active WHEN 1 THEN 'active' ELSE 'suspended' END,
           CAST(t.customers AS TEXT) || ' are counted, there are '
           || CAST(coalesce(n.customers, 0) AS TEXT)
         FROM customer_tally t LEFT JOIN (
           SELECT active, count(*) AS customers FROM account WHERE role = 'CUSTOMER'
           GROUP BY active
         ) n ON n.active = t.active
         WHERE t.customers <> coalesce(n.customers, 0)";
};
