-- Customers who buy without a password. A guest's email_key ends with a blank and the account's id,
-- so that the e-mail stays free for an account that logs in.
ALTER TABLE account ADD COLUMN guest {int} NOT NULL DEFAULT 0;
-- Until when the account is kept although nothing was ordered with it; NULL where it stays.
ALTER TABLE account ADD COLUMN guest_until {int};
CREATE INDEX account_guest_until ON account (guest_until) WHERE guest_until IS NOT NULL;
CREATE INDEX account_guest ON account (role, guest, created_at, id);

-- Accounts of guests whose orders belong to another account now: events may still name them.
CREATE TABLE joined_guest (
  guest_id TEXT PRIMARY KEY,
  account_id TEXT NOT NULL REFERENCES account (id)
) {end};
CREATE INDEX joined_guest_account ON joined_guest (account_id);
