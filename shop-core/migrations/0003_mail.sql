-- Mails, and what hangs on them: links to reset a password, readers of the newsletter.

-- The outbox of mails, written in the transaction of what each tells about. A row holds what the
-- letter says and not its pages of HTML: those are made when it is sent, so that a transaction
-- stays small.
CREATE TABLE mail (
  id TEXT PRIMARY KEY,
  kind TEXT NOT NULL,
  recipient TEXT NOT NULL,
  recipient_name TEXT,
  letter TEXT NOT NULL,                    -- JSON; emptied once a letter that holds a secret is sent
  created_at {int} NOT NULL,
  attempts {int} NOT NULL DEFAULT 0,
  next_try_at {int},                       -- while it is being sent: when somebody else may try
  sent_at {int},
  last_error TEXT
) {end};
CREATE INDEX mail_due ON mail (next_try_at) WHERE sent_at IS NULL;

-- Only the SHA-256 of a token is kept. A row without an account answers for an address that
-- nobody has registered, so that asking costs the same.
CREATE TABLE password_reset (
  token_hash TEXT PRIMARY KEY,
  account_id TEXT REFERENCES account (id),
  expires_at {int} NOT NULL
) {end};
CREATE INDEX password_reset_account ON password_reset (account_id);
CREATE INDEX password_reset_age ON password_reset (expires_at);

CREATE TABLE newsletter_reader (
  email_key TEXT PRIMARY KEY,              -- lower case: how addresses are compared
  email TEXT NOT NULL,
  name TEXT,
  subscribed_at {int} NOT NULL,
  unsubscribed_at {int}
) {end};

ALTER TABLE orders ADD COLUMN tracking_code TEXT;
