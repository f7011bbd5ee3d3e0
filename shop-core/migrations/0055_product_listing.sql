-- Lists of products are answered by an index in memory, which is read from this one; nothing walks
-- the products by price any more.
DROP INDEX product_price;
DROP INDEX product_category_price;
CREATE INDEX product_listing ON product (category_id, active, price, featured, pk);
