-- Parcels that are late, or whose label has a problem, are found without a walk over all that are on
-- their way.
CREATE INDEX shipment_late ON shipment (expected_at) WHERE status = 'POSTED';
CREATE INDEX shipment_problem ON shipment (problem) WHERE problem IS NOT NULL;
