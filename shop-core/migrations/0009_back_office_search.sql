-- Lists of the back office in an order that an index gives, customers that are found by name or
-- e-mail, and what the site shows.

DROP INDEX account_new;
CREATE INDEX account_new ON account (role, created_at, id);
CREATE INDEX account_active ON account (role, active, created_at, id);

-- Customers in the order in which they came; pk names them to the search index.
CREATE TABLE customer_entry (
  pk {serial},
  account_id TEXT NOT NULL UNIQUE REFERENCES account (id)
) {end};
INSERT INTO customer_entry (account_id)
SELECT id FROM account WHERE role = 'CUSTOMER' ORDER BY created_at, id;

-- How many customers there are, active or not; kept by the engine's triggers.
CREATE TABLE customer_tally (
  active {int} PRIMARY KEY,
  customers {int} NOT NULL
) {end};
INSERT INTO customer_tally (active, customers)
SELECT 0, count(*) FROM account WHERE role = 'CUSTOMER' AND active = 0;
INSERT INTO customer_tally (active, customers)
SELECT 1, count(*) FROM account WHERE role = 'CUSTOMER' AND active = 1;

CREATE INDEX review_time ON review (created_at, id);
CREATE INDEX review_status ON review (status, created_at, id);

CREATE INDEX newsletter_reader_time ON newsletter_reader (subscribed_at, email_key);

-- What the site shows beside the catalogue. Apart from the table of generated secrets, so that a
-- change of it can be told by its name.
CREATE TABLE site_setting (
  key TEXT PRIMARY KEY,
  value TEXT NOT NULL,                     -- JSON
  revision TEXT NOT NULL,                  -- names the value
  updated_at {int} NOT NULL
) {end};
