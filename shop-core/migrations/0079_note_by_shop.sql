-- Which notes the shop itself wrote: a member of staff may be called as it signs.
ALTER TABLE order_note ADD COLUMN by_shop {int} NOT NULL DEFAULT 0;
UPDATE order_note SET by_shop = 1 WHERE author = 'Sistema';
