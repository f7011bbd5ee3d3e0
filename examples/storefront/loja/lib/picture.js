// Pictures of products, in the size that the screen needs.

import { html } from './html.js';

const WIDTHS = [320, 640, 960, 1280];

const first = (images) => images?.find((one) => one.isPrimary) ?? images?.[0];

/** Pictures that were uploaded can be had smaller; drawings are the same in every size. */
const sized = (url) => url.startsWith('/uploads/') && !url.endsWith('.svg');

/** The place that a picture takes is square from the start, so that nothing moves when it comes.
 * @param {{ image?: { url: string, alt?: string } | undefined, alt?: string | undefined, sizes?: string, now?: boolean }} props `now` for what is seen first
 */
export function Picture({ image, alt, sizes = '100vw', now }) {
  if (!image) return html`<span class="picture" aria-hidden="true"></span>`;
  const { url } = image;
  const srcset = sized(url) ? WIDTHS.map((width) => `${url}?w=${width} ${width}w`).join(', ') : undefined;
  return html`<img class="picture" src=${srcset ? `${url}?w=640` : url} srcset=${srcset} sizes=${srcset && sizes}
    alt=${alt ?? image.alt ?? ''} width="640" height="640" loading=${now ? 'eager' : 'lazy'} fetchpriority=${now ? 'high' : undefined} decoding="async" />`;
}

/** The first picture of a product, whose name stands beside it. @param {{ images: any[] | undefined, sizes?: string, now?: boolean }} props */
export const Cover = ({ images, sizes, now }) =>
  html`<${Picture} image=${first(images)} alt="" sizes=${sizes} now=${now} />`;
