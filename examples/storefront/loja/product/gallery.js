// The pictures of a product: one large, the others beside it.

import { html, useState } from '../lib/html.js';
import { Picture } from '../lib/picture.js';

/** @param {{ images: Image[], name: string }} props */
export function Gallery({ images, name }) {
  const [at, setAt] = useState(() =>
    Math.max(
      0,
      images.findIndex((one) => one.isPrimary),
    ),
  );
  const image = images[at] ?? images[0];
  return html`<div class="gallery">
    <div class="frame large"><${Picture} key=${image?.url} image=${image} alt=${image?.alt || name} sizes="(width < 800px) 92vw, 560px" now=${true} /></div>
    ${
      images.length > 1 &&
      html`<ul class="thumbs" aria-label="Fotos do produto">${images.map(
        (one, index) =>
          html`<li key=${one.id}><button type="button" aria-label="Foto ${index + 1} de ${images.length}" aria-pressed=${index === at ? 'true' : 'false'} onClick=${() => setAt(index)}><${Picture} image=${one} alt="" sizes="80px" /></button></li>`,
      )}</ul>`
    }
  </div>`;
}
