-- Mails: whose they are, how many an hour one address gets, and links that are made when they leave.

ALTER TABLE mail ADD COLUMN account_id TEXT;   -- whose mail it is; outlives a change of the address
ALTER TABLE mail ADD COLUMN held_for TEXT;     -- the used-up allowance that holds it back
CREATE INDEX mail_held ON mail (held_for, id) WHERE held_for IS NOT NULL AND sent_at IS NULL;

-- How many mails of one class an address was sent since its hour began.
CREATE TABLE mail_allowance (
  recipient TEXT NOT NULL,                 -- lower case: how addresses are compared
  class TEXT NOT NULL,
  ends_at {int} NOT NULL,
  used {int} NOT NULL,
  PRIMARY KEY (recipient, class)
) {end};
CREATE INDEX mail_allowance_age ON mail_allowance (ends_at);

-- People who were made up for a demonstration: nothing is ever mailed to them.
ALTER TABLE account ADD COLUMN demo {int} NOT NULL DEFAULT 0;

-- A request for a link to reset a password. Its token is made when the mail is sent, and only the
-- SHA-256 of it is kept. A request without an account answers for an address that nobody has
-- registered, so that asking costs the same.
CREATE TABLE password_reset_request (
  id TEXT PRIMARY KEY,
  account_id TEXT REFERENCES account (id),
  token_hash TEXT UNIQUE,                  -- NULL until the mail is sent
  requested_at {int} NOT NULL,
  expires_at {int} NOT NULL
) {end};
INSERT INTO password_reset_request (id, account_id, token_hash, requested_at, expires_at)
SELECT token_hash, account_id, token_hash, expires_at - 3600000, expires_at FROM password_reset;
DROP TABLE password_reset;
ALTER TABLE password_reset_request RENAME TO password_reset;
CREATE INDEX password_reset_account ON password_reset (account_id);
CREATE INDEX password_reset_age ON password_reset (expires_at);

-- Mails that were written before hold their token in clear text.
UPDATE mail SET letter = '{}', attempts = attempts + 1, next_try_at = NULL,
  last_error = 'its link was made before links were made on sending'
WHERE kind = 'password-reset' AND sent_at IS NULL;
