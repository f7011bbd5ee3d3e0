-- The accounts of customers whom the program around the shop logs in, by the key that it knows
-- them by.
CREATE TABLE external_account (
  external_id TEXT PRIMARY KEY,
  account_id TEXT NOT NULL UNIQUE REFERENCES account (id),
  created_at {int} NOT NULL
) {end};
