-- Units that came back of a variant that was deleted stayed counted as sold of its product.
UPDATE stock SET sold = told.units
FROM (
  SELECT i.product_id, CAST(sum(i.quantity) AS BIGINT) AS units
  FROM (
    SELECT l.product_id,
      CASE WHEN o.status IN ('CANCELLED', 'REFUNDED') THEN 0 ELSE l.quantity END AS quantity
    FROM order_item l JOIN orders o ON o.id = l.order_id
  ) i
  GROUP BY i.product_id
) told
WHERE stock.item_id = told.product_id AND stock.sold <> told.units;
