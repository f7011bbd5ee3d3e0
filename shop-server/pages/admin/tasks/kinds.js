// The kinds of what waits for staff, as `GET /api/admin/dashboard/tasks` calls them.

/** What a kind is called, and the screen that shows exactly these, where another than that of the tasks does.
 * @type {[kind: keyof Tasks, title: string, screen?: string][]} */
export const kinds = [
  ['ordersToSend', 'Pedidos a enviar'],
  ['parcelsInTrouble', 'Envios com problema'],
  ['paymentsInReview', 'Pagamentos em análise'],
  ['refusedInvoices', 'Notas fiscais recusadas'],
  ['returns', 'Devoluções a tratar', '/admin/returns?waiting=true'],
  ['invoicesNotIssued', 'Notas fiscais não emitidas'],
  ['reviewsToModerate', 'Avaliações a ler', '/admin/reviews?approved=false'],
  ['lowStock', 'Itens com estoque baixo'],
  ['failingMails', 'E-mails que não saem'],
  ['failingWebhooks', 'Webhooks com falhas', '/admin/webhooks?failing=true'],
];

/** No more than these are counted. */
export const COUNTED = 1000;
