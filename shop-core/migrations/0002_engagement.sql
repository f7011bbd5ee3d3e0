-- Coupons, wishlists, and the counters behind the summary of a product's reviews.

CREATE TABLE coupon (
  id TEXT PRIMARY KEY,
  code TEXT NOT NULL,
  code_key TEXT NOT NULL UNIQUE,           -- lower case: how codes are compared
  type TEXT NOT NULL CHECK (type IN ('PERCENT', 'FIXED')),
  value {int} NOT NULL CHECK (value >= 0), -- hundredths of a percent, or cents
  min_order_value {int},
  max_uses {int},
  used_count {int} NOT NULL DEFAULT 0 CHECK (used_count >= 0),
  expires_at {int},
  active {int} NOT NULL DEFAULT 1,
  created_at {int} NOT NULL
) {end};

-- The orders that a coupon's used_count counts: a row is there exactly as long as it does.
CREATE TABLE coupon_use (
  order_id TEXT PRIMARY KEY,               -- written just before the order itself
  coupon_id TEXT NOT NULL
) {end};
CREATE INDEX coupon_use_coupon ON coupon_use (coupon_id);

CREATE TABLE wishlist_item (
  id TEXT PRIMARY KEY,
  account_id TEXT NOT NULL REFERENCES account (id),
  product_id TEXT NOT NULL,
  created_at {int} NOT NULL,
  UNIQUE (account_id, product_id)
) {end};
CREATE INDEX wishlist_item_product ON wishlist_item (product_id);

-- How many approved reviews of a product give each rating; kept with each review's change, beside
-- the product's own review_count and rating_sum.
CREATE TABLE product_rating (
  product_id TEXT PRIMARY KEY,
  one {int} NOT NULL DEFAULT 0 CHECK (one >= 0),
  two {int} NOT NULL DEFAULT 0 CHECK (two >= 0),
  three {int} NOT NULL DEFAULT 0 CHECK (three >= 0),
  four {int} NOT NULL DEFAULT 0 CHECK (four >= 0),
  five {int} NOT NULL DEFAULT 0 CHECK (five >= 0)
) {end};
INSERT INTO product_rating (product_id, one, two, three, four, five)
SELECT product_id,
  sum(CASE rating WHEN 1 THEN 1 ELSE 0 END), sum(CASE rating WHEN 2 THEN 1 ELSE 0 END),
  sum(CASE rating WHEN 3 THEN 1 ELSE 0 END), sum(CASE rating WHEN 4 THEN 1 ELSE 0 END),
  sum(CASE rating WHEN 5 THEN 1 ELSE 0 END)
FROM review WHERE status = 'approved' GROUP BY product_id;

-- Whether the author had paid for the product; kept when an order is paid, so that no page looks
-- through orders.
ALTER TABLE review ADD COLUMN verified_purchase {int} NOT NULL DEFAULT 0;
UPDATE review SET verified_purchase = 1 WHERE EXISTS (
  SELECT 1 FROM orders o JOIN order_item i ON i.order_id = o.id JOIN payment p ON p.order_id = o.id
  WHERE o.account_id = review.account_id AND i.product_id = review.product_id
    AND p.status IN ('PAID', 'REFUNDED', 'CHARGED_BACK'));

-- A customer has at most one review of a product that waits or is shown.
CREATE UNIQUE INDEX review_once ON review (product_id, account_id) WHERE status <> 'rejected';
CREATE INDEX review_author ON review (account_id, product_id);
-- The latest reviews of a product, read in their order and no further.
DROP INDEX review_product;
CREATE INDEX review_product ON review (product_id, status, created_at, id);
