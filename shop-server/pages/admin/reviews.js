// Reviews: those that wait, what they say, and whether shoppers see them.

import { get, once, patch } from './lib/api.js';
import { useList } from './lib/data.js';
import { destroy } from './lib/destroy.js';
import { Time } from './lib/format.js';
import { html } from './lib/html.js';
import { reviewStatus } from './lib/labels.js';
import { Badge, Card, Empty, Failure, Page, Skeleton } from './lib/parts.js';
import { useQuery } from './lib/router.js';
import { Pager } from './lib/table.js';
import { toast, toastError } from './lib/toast.js';

/** @type {[string | null, string][]} */
const VIEWS = [
  ['false', 'Aguardando'],
  ['true', 'Publicadas'],
  [null, 'Todas'],
];

const moderate = once(async (review, approved, reload) => {
  const path = `/api/admin/reviews/${review.id}`;
  try {
    const { etag } = await get(path);
    const answer = await patch(path, { approved }, etag);
    const undo = () => void patch(path, { approved: !approved }, answer.etag).then(reload, toastError);
    // A decision can be turned round, but not taken back: one that waited does not wait again.
    const how = review.status === 'pending' ? {} : { undo };
    toast(approved ? 'Avaliação publicada.' : 'Avaliação rejeitada.', how);
  } catch (error) {
    toastError(error);
  }
  await reload();
});

export default function Reviews() {
  const list = useList('/api/admin/reviews', ['approved']);
  const [query, setQuery] = useQuery();
  const drop = async (review) => {
    const text = `A avaliação de ${review.author} sobre ${review.product.name}. Isso não pode ser desfeito.`;
    await destroy({
      title: 'Excluir esta avaliação?',
      text,
      path: `/api/admin/reviews/${review.id}`,
      done: 'Avaliação excluída.',
    });
    await list.reload();
  };
  const actions = html`<div class="switch" role="group" aria-label="Mostrar">
    ${VIEWS.map(([value, text]) => html`<button type="button" aria-pressed=${query.get('approved') === value ? 'true' : 'false'} onClick=${() => setQuery({ approved: value })}>${text}</button>`)}
  </div>`;
  return html`<${Page} title="Avaliações" actions=${actions}>
    ${!list.rows && (list.error ? html`<${Failure} error=${list.error} retry=${list.reload} />` : html`<${Skeleton} />`)}
    ${list.rows?.length === 0 && html`<${Empty} title=${query.get('approved') === 'false' ? 'Nenhuma avaliação esperando' : 'Nenhuma avaliação'}><p class="muted">As avaliações dos clientes aparecem aqui.</p><//>`}
    ${list.rows?.map((review) => html`<${Review} key=${review.id} review=${review} reload=${list.reload} drop=${drop} />`)}
    <${Pager} pages=${list.pages} />
  <//>`;
}

/** @param {{ review: ModeratedReview, reload: () => Promise<void>, drop: Function }} props */
function Review({ review, reload, drop }) {
  const [text, tone] = reviewStatus[review.status] ?? [review.status, ''];
  return html`<${Card}>
    <div class="stack">
      <div class="card-head"><div><span class="stars" role="img" aria-label="${review.rating} de 5 estrelas">${'★'.repeat(review.rating)}${'☆'.repeat(5 - review.rating)}</span>
        <h2>${review.title ?? review.product.name}</h2></div><${Badge} tone=${tone}>${text}<//></div>
      <p class="quote" dir="auto">${review.body}</p>
      <p class="small muted"><bdi>${review.author}</bdi> · <a href="/admin/products/${review.product.id}">${review.product.name}</a> · <${Time} at=${review.createdAt} />${review.verifiedPurchase && ' · compra confirmada'}</p>
      <div class="actions">
        ${review.status !== 'approved' && html`<button type="button" class="button primary" onClick=${() => moderate(review, true, reload)}>Publicar</button>`}
        ${review.status !== 'rejected' && html`<button type="button" class="button" onClick=${() => moderate(review, false, reload)}>Rejeitar</button>`}
        <button type="button" class="button plain quiet" onClick=${() => drop(review)}>Excluir</button>
      </div>
    </div>
  <//>`;
}
