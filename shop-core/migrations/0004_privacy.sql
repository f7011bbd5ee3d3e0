-- Guests' carts: whose lines in cart_item are nobody's account. `owner` is the SHA-256 of the token
-- in the guest's cookie.
CREATE TABLE guest_cart (
  owner TEXT PRIMARY KEY,
  touched_at {int} NOT NULL                -- when a line last changed
) {end};
CREATE INDEX guest_cart_age ON guest_cart (touched_at);
