// What a search found, with the words that fit. The answer is text with `<mark>` around those words and
// entities for the rest; it is taken apart here, and reaches the page as text.

import { html } from './html.js';

/** @type {Record<string, string>} */
const ENTITIES = { '&amp;': '&', '&lt;': '<', '&gt;': '>', '&quot;': '"', '&#39;': "'", '&#x27;': "'" };
const plain = (text) => text.replace(/&(?:amp|lt|gt|quot|#39|#x27);/g, (entity) => ENTITIES[entity]);

/** @param {{ text: string }} props */
export function Marked({ text }) {
  return text.split(/(<mark>.*?<\/mark>)/s).map((part) => {
    const word = /^<mark>(.*)<\/mark>$/s.exec(part)?.[1];
    return word === undefined ? plain(part) : html`<mark>${plain(word)}</mark>`;
  });
}
