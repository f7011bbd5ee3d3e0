-- The audit log by what was done, by whom, or both, also narrowed to a time, without looking at the
-- entries that are not shown.
DROP INDEX audit_actor;
DROP INDEX audit_action;
CREATE INDEX audit_actor ON audit (actor_id, id, created_at);
CREATE INDEX audit_action ON audit (action, id, created_at);
CREATE INDEX audit_actor_action ON audit (actor_id, action, id, created_at);
