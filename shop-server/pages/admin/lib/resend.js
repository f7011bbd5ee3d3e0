// Mails that were given up, sent again with a click.

import { post } from './api.js';
import { plural } from './format.js';
import { html } from './html.js';
import { toast, toastError } from './toast.js';

/** @param {{ mails: any[], label?: string, onDone: () => unknown }} props No more than 100 mails. */
export function Resend({ mails, label = 'Enviar de novo', onDone }) {
  const send = async () => {
    await post('/api/admin/mails/resend', { ids: mails.map(({ id }) => id) }).then(
      ({ data }) => toast(`${plural(data.queued, 'e-mail', 'e-mails')} na fila para sair de novo.`),
      toastError,
    );
    await onDone();
  };
  return html`<button type="button" class="button plain" onClick=${send}>${label}</button>`;
}

/** @type {(isGivenUp: (mail: any) => boolean, onDone: () => unknown) => Column} */
export const resendColumn = (isGivenUp, onDone) => ({
  head: 'Ações',
  hideHead: true,
  number: true,
  cell: (row) => isGivenUp(row) && html`<${Resend} mails=${[row]} onDone=${onDone} />`,
});
