-- The counters of the orders that are there already; the day stands in the number.
UPDATE order_day SET pending = n.pending, processing = n.processing, shipped = n.shipped,
  delivered = n.delivered, cancelled = n.cancelled, refunded = n.refunded, revenue = n.revenue
FROM (
  SELECT substr(number, strpos(number, '-') + 1, 8) AS day,
    count(*) FILTER (WHERE status = 'PENDING') AS pending,
    count(*) FILTER (WHERE status = 'PROCESSING') AS processing,
    count(*) FILTER (WHERE status = 'SHIPPED') AS shipped,
    count(*) FILTER (WHERE status = 'DELIVERED') AS delivered,
    count(*) FILTER (WHERE status = 'CANCELLED') AS cancelled,
    count(*) FILTER (WHERE status = 'REFUNDED') AS refunded,
    sum(CASE WHEN status IN ('CANCELLED', 'REFUNDED') THEN 0 ELSE total END) AS revenue
  FROM orders GROUP BY 1
) n WHERE n.day = order_day.day;
