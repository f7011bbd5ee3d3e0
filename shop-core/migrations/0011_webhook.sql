-- Receivers outside, what waits for them, and what they were sent.

CREATE TABLE webhook (
  id TEXT PRIMARY KEY,
  url TEXT NOT NULL,
  events TEXT NOT NULL,                    -- ",order.created,order.paid,"
  secret TEXT NOT NULL,                    -- in clear, because it signs every delivery
  old_secret TEXT,                         -- signs beside it until old_secret_until
  old_secret_until {int},
  active {int} NOT NULL DEFAULT 1,
  disabled_reason TEXT CHECK (disabled_reason IN ('GONE', 'FAILING')),
  failing_since {int},                     -- the first failure since the last success
  paused_until {int},                      -- as the receiver asked for (Retry-After)
  created_at {int} NOT NULL,
  updated_at {int} NOT NULL                -- when staff last changed it
) {end};

-- The last event that was handed to the queue. It moves in the transaction that fills the queue, so
-- no event is queued twice and none is left out.
CREATE TABLE webhook_cursor (
  id {int} PRIMARY KEY CHECK (id = 1),
  event_id {int} NOT NULL
) {end};
INSERT INTO webhook_cursor (id, event_id) SELECT 1, coalesce(max(id), 0) FROM event;

-- What an endpoint has still to get. A row goes once its event is delivered.
CREATE TABLE webhook_queue (
  webhook_id TEXT NOT NULL,
  event_id {int} NOT NULL,
  attempts {int} NOT NULL DEFAULT 0,
  next_try_at {int},                       -- while it is being sent: when somebody else may try;
                                           -- NULL once every try has failed
  claim TEXT,                              -- whoever is sending it
  PRIMARY KEY (webhook_id, event_id)
) {end};
CREATE INDEX webhook_queue_due ON webhook_queue (webhook_id, next_try_at, event_id)
  WHERE next_try_at IS NOT NULL;
CREATE INDEX webhook_queue_event ON webhook_queue (event_id);

-- Every attempt. What was sent is the event's payload, but for tests, which have no event.
CREATE TABLE webhook_delivery (
  id TEXT PRIMARY KEY,
  webhook_id TEXT NOT NULL,
  event_id {int},
  event TEXT NOT NULL,
  payload TEXT,                            -- JSON, of a test
  attempt {int} NOT NULL,                  -- which try of its event, from 1
  response_code {int},                     -- NULL where no answer came
  response_body TEXT,                      -- its first 4 KiB
  error TEXT,
  success {int} NOT NULL,
  duration_ms {int} NOT NULL,
  created_at {int} NOT NULL
) {end};
CREATE INDEX webhook_delivery_page ON webhook_delivery (webhook_id, id, event, success);
CREATE INDEX webhook_delivery_event ON webhook_delivery (event_id, webhook_id, success);

-- People who were erased and whose events are still to be made nobody's, up to an event.
CREATE TABLE event_erasure (
  account_id TEXT PRIMARY KEY,
  upto {int} NOT NULL,
  done {int} NOT NULL DEFAULT 0            -- the last event that was looked at
) {end};
