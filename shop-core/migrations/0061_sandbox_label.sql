-- What the built-in sandbox, playing a provider of shipping labels, knows of its labels.
CREATE TABLE sandbox_label (
  id {serial},
  reference TEXT NOT NULL,
  status TEXT NOT NULL CHECK (status IN
    ('IN_CART', 'PAID', 'GENERATED', 'POSTED', 'UNDELIVERED', 'DELIVERED', 'CANCELLED')),
  service TEXT NOT NULL,
  price {int} NOT NULL CHECK (price >= 0),
  paper TEXT NOT NULL,                     -- JSON: what is printed; empty once its customer is forgotten
  created_at {int} NOT NULL,
  posted_at {int},
  delivered_at {int}
) {end};
CREATE INDEX sandbox_label_reference ON sandbox_label (reference);
