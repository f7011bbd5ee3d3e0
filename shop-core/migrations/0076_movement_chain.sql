-- Each movement names the one before it of its item, and the item's stock its last two, so the latest
-- ones are found from there. An index of movements by item cost an order as much as a seventh of its
-- work: each of its movements went to another page of it.
ALTER TABLE stock ADD COLUMN last_movement {int};
ALTER TABLE stock ADD COLUMN movement_before {int};
ALTER TABLE stock_movement ADD COLUMN previous {int};
UPDATE stock_movement SET previous = (
  SELECT max(m.id) FROM stock_movement m
  WHERE m.item_id = stock_movement.item_id AND m.id < stock_movement.id);
UPDATE stock SET last_movement = (
  SELECT max(m.id) FROM stock_movement m WHERE m.item_id = stock.item_id);
DROP INDEX stock_movement_item;
