// Preact with htm: markup as tagged templates, whose values become text nodes and never markup.

import htm from 'htm';
import { h } from 'preact';
import { useState } from 'preact/hooks';

/** @type {(strings: TemplateStringsArray, ...values: any[]) => any} */
export const html = htm.bind(h);

let ids = 0;
/** An identifier that no other element has. Preact's own are unique within what one `render` draws, and
 * each question beside the screen is drawn by a `render` of its own.
 * @returns {string}
 */
export const useId = () => useState(() => `id-${++ids}`)[0];

export { render } from 'preact';
export { useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
