-- Labels that nobody went on with: accepted together with a sibling's price, or of an order that was closed
-- while they waited for staff. The background gives them up or pays them.
UPDATE shipment SET check_at = updated_at
WHERE status IN ('DRAFT', 'IN_CART') AND check_at IS NULL AND (problem IS NULL OR EXISTS (
  SELECT 1 FROM orders o
  WHERE o.id = shipment.order_id AND o.status NOT IN ('PROCESSING', 'SHIPPED')));
