-- What the back office's lists of products ask for.

-- How many lines of orders name an item (of a product: also those of its variants). Kept on the row
-- that an order touches anyway, where an index on order_item would cost each order further pages.
ALTER TABLE stock ADD COLUMN order_lines {int} NOT NULL DEFAULT 0;
UPDATE stock SET order_lines = n.lines
FROM (SELECT product_id, count(*) AS lines FROM order_item GROUP BY product_id) n
WHERE n.product_id = stock.item_id;

-- Products on sale or not, newest first.
CREATE INDEX product_category_all ON product (category_id, pk);
CREATE INDEX product_featured_all ON product (featured, pk);

-- What goes with a product that is deleted is found by the product.
CREATE INDEX cart_item_product ON cart_item (product_id);
