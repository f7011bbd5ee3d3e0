// Preact with htm: markup as tagged templates, whose values become text nodes and never markup.

import { h } from 'preact';
import htm from 'htm';

/** @type {(strings: TemplateStringsArray, ...values: any[]) => any} */
export const html = htm.bind(h);

export { createPortal, render } from 'preact';
export { useCallback, useEffect, useId, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
