-- The counters of the orders that are there already; the day stands in the number.
UPDATE order_day SET pending = n.pending, processing = n.processing, shipped = n.shipped,
  delivered = n.delivered, cancelled = n.cancelled, refunded = n.refunded, revenue = n.revenue
FROM (
  SELECT substr(number, instr(number, '-') + 1, 8) AS day,
    sum(status = 'PENDING') AS pending, sum(status = 'PROCESSING') AS processing,
    sum(status = 'SHIPPED') AS shipped, sum(status = 'DELIVERED') AS delivered,
    sum(status = 'CANCELLED') AS cancelled, sum(status = 'REFUNDED') AS refunded,
    sum(CASE WHEN status IN ('CANCELLED', 'REFUNDED') THEN 0 ELSE total END) AS revenue
  FROM orders GROUP BY 1
) n WHERE n.day = order_day.day;
