// The pictures of a product: dropped or chosen, put in order by dragging or with buttons, described.

import { send } from '../lib/api.js';
import { html, useRef, useState } from '../lib/html.js';
import { toastError } from '../lib/toast.js';

const KINDS = 'image/jpeg,image/png,image/webp,image/gif';
/** As many as the shop keeps of a product. */
const MOST = 20;

/** With one of them, and one only, as the main one.
 * @param {Picture[]} images
 * @param {number} [main]
 */
function withMain(
  images,
  main = Math.max(
    0,
    images.findIndex((image) => image.isPrimary),
  ),
) {
  return images.map((image, at) => ({ ...image, isPrimary: at === main }));
}

export function Pictures({ images, name, wrong, onChange: changed, onUploading }) {
  const [uploading, setUploading] = useState(0);
  const [over, setOver] = useState(false);
  const [dragged, setDragged] = useState(-1);
  // Others may be removed, described or sent while one is on its way.
  const latest = useRef(images);
  latest.current = images;
  const onChange = (next) => {
    latest.current = next;
    changed(next);
  };
  const uploads = useRef(0);
  const count = (more) => {
    uploads.current += more;
    setUploading(uploads.current);
    onUploading(uploads.current);
  };
  const upload = async (files) => {
    const all = [...(files ?? [])];
    const chosen = all.filter((file) => file.type && KINDS.includes(file.type));
    if (chosen.length < all.length) toastError(new Error('Só fotos em JPEG, PNG, WebP ou GIF podem ser enviadas.'));
    if (latest.current.length + uploads.current + chosen.length > MOST)
      return toastError(new Error(`São no máximo ${MOST} fotos por produto.`));
    count(chosen.length);
    for (const file of chosen) {
      const form = new FormData();
      form.append('file', file);
      try {
        const { data } = await send('POST', '/api/admin/upload', form);
        onChange(withMain([...latest.current, { url: data.url, alt: name, isPrimary: false }]));
      } catch (error) {
        toastError(error, file.name);
      }
      count(-1);
    }
  };
  const move = (from, to) => {
    if (to < 0 || to >= images.length || from === to) return;
    const next = [...images];
    next.splice(to, 0, ...next.splice(from, 1));
    onChange(next);
  };
  const drop = (event, at) => {
    event.preventDefault();
    event.stopPropagation();
    setOver(false);
    if (event.dataTransfer?.files.length) void upload(event.dataTransfer.files);
    else if (dragged >= 0) move(dragged, at);
    setDragged(-1);
  };
  const allow = (event) => event.preventDefault();
  return html`<div class="stack" onDragOver=${allow} onDrop=${(event) => drop(event, images.length - 1)}>
    ${wrong && html`<p class="notice bad">${wrong.join(' ')}</p>`}
    ${
      images.length > 0 &&
      html`<ul class="pictures">
      ${images.map(
        (
          image,
          at,
        ) => html`<li key=${image.url} class=${dragged === at ? 'dragged' : ''} onDragOver=${allow} onDrop=${(event) => drop(event, at)}>
        <img src="${image.url}" alt=${image.alt || `Foto ${at + 1}`} draggable="true" onDragStart=${() => setDragged(at)} onDragEnd=${() => setDragged(-1)} />
        <label class="sr-only" for="alt-${at}">Texto alternativo da foto ${at + 1}</label>
        <input id="alt-${at}" placeholder="Descreva a foto" maxlength="300" value=${image.alt}
          onInput=${(event) => onChange(images.map((one, index) => (index === at ? { ...one, alt: event.currentTarget.value } : one)))} />
        <div class="actions">
          <button type="button" class="button icon" aria-label="Foto ${at + 1} para a esquerda" disabled=${at === 0} onClick=${() => move(at, at - 1)}>←</button>
          <button type="button" class="button icon" aria-label="Foto ${at + 1} para a direita" disabled=${at === images.length - 1} onClick=${() => move(at, at + 1)}>→</button>
          <button type="button" class="button icon" aria-label="Foto ${at + 1} como principal" aria-pressed=${image.isPrimary ? 'true' : 'false'} title="Foto principal" onClick=${() => onChange(withMain(images, at))}>${image.isPrimary ? '★' : '☆'}</button>
          <button type="button" class="button icon danger" aria-label="Remover foto ${at + 1}" onClick=${() => onChange(withMain(images.filter((_, index) => index !== at)))}>✕</button>
        </div>
      </li>`,
      )}
    </ul>`
    }
    <div class="drop ${over ? 'over' : ''}" onDragEnter=${() => setOver(true)} onDragLeave=${() => setOver(false)}>
      <p class="muted">${uploading > 0 ? `Enviando… faltam ${uploading}` : 'Arraste fotos para cá, ou escolha no aparelho. JPEG, PNG, WebP ou GIF, até 5 MB.'}</p>
      <label class="button" for="pictures-file">Escolher fotos</label>
      <input class="sr-only" id="pictures-file" type="file" accept=${KINDS} multiple onChange=${(event) => {
        void upload(event.currentTarget.files);
        event.currentTarget.value = '';
      }} />
    </div>
  </div>`;
}
