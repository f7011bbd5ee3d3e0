-- What is kept of an account's requests is found by how its scope begins. It ended with the account.
UPDATE idempotency SET scope = ':' || substr(scope, 1, length(scope) - 1) WHERE scope LIKE '%:';
UPDATE idempotency
SET scope = substr(scope, length(scope) - 35) || ':' || substr(scope, 1, length(scope) - 37)
WHERE scope LIKE '%:____________________________________' AND scope NOT LIKE ':%';
-- The few that are about returns, whose answers name another account than who asked.
CREATE INDEX idempotency_return ON idempotency (created_at) WHERE scope LIKE '%:return.%';

-- Customers who were erased and whose mails that were sent are still to be searched for, as far as the
-- last one that was looked at.
CREATE TABLE mail_erasure (
  account_id TEXT PRIMARY KEY,
  done TEXT NOT NULL
) {end};
-- Of mails to addresses as such, which no order writes, those of a kind to one address.
CREATE INDEX mail_of_nobody ON mail (kind, lower(recipient)) WHERE account_id IS NULL;

-- Notifications that were read are forgotten by their age. Those that are written cost nothing here.
CREATE INDEX notification_read ON notification (created_at) WHERE read = 1;
