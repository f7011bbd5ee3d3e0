//! What waits to leave. That something waits is not wrong, however long; that it waits for nothing
//! is.

use super::Check;

pub(super) const CHECKS: &[Check] = checks! {
    "mails" (3)
        "a mail is sent, given up after a try, or waits for one that comes":
        "SELECT id, 'it was never tried and waits for nothing' FROM mail
         WHERE sent_at IS NULL AND next_try_at IS NULL AND attempts = 0
         UNION ALL
         SELECT id, 'it is sent and waits to be sent' FROM mail
         WHERE sent_at IS NOT NULL AND next_try_at IS NOT NULL
         UNION ALL
         SELECT id, 'its next try is too far off' FROM mail
         WHERE sent_at IS NULL AND next_try_at > {far}";
    "outbox-cursor" (11)
        "no event is passed over before it was queued for its receivers":
        "SELECT 'cursor', 'it stands at ' || CAST(c.event_id AS TEXT) || ', the last event is '
           || CAST(e.last AS TEXT)
         FROM webhook_cursor c CROSS JOIN (SELECT coalesce(max(id), 0) AS last FROM event) e
         WHERE c.event_id > e.last
         UNION ALL
         SELECT 'cursor', 'it is missing' WHERE NOT EXISTS (SELECT 1 FROM webhook_cursor)";
    "outbox-queue" (11)
        "what waits for a receiver has its event, its receiver, and a try that comes":
        "SELECT q.webhook_id || ' ' || CAST(q.event_id AS TEXT), 'its receiver is not there'
         FROM webhook_queue q
         WHERE NOT EXISTS (SELECT 1 FROM webhook w WHERE w.id = q.webhook_id)
         UNION ALL
         SELECT q.webhook_id || ' ' || CAST(q.event_id AS TEXT), 'its event is not there'
         FROM webhook_queue q WHERE NOT EXISTS (SELECT 1 FROM event e WHERE e.id = q.event_id)
         UNION ALL
         SELECT q.webhook_id || ' ' || CAST(q.event_id AS TEXT),
           'it waits for nothing and was not given up'
         FROM webhook_queue q
         WHERE q.next_try_at IS NULL AND (q.claim IS NOT NULL OR q.attempts = 0)
         UNION ALL
         SELECT q.webhook_id || ' ' || CAST(q.event_id AS TEXT), 'its next try is too far off'
         FROM webhook_queue q WHERE q.next_try_at > {far}";
    "outbox-receivers" (11)
        "a receiver that asked for a pause is not put off for ever":
        "SELECT id, 'it is put off for too long' FROM webhook WHERE paused_until > {far}";
};
