-- Lines that were added while their account was erased or taken over: a copy of the database is refused
-- for them.
DELETE FROM cart_item WHERE NOT EXISTS (SELECT 1 FROM account a WHERE a.id = cart_item.owner)
  AND NOT EXISTS (SELECT 1 FROM guest_cart g WHERE g.owner = cart_item.owner);
