// A value that several parts of the page show.

import { useEffect, useState } from './html.js';

/**
 * @template T
 * @param {T} initial
 */
export function store(initial) {
  let value = initial;
  /** @type {Set<() => void>} */
  const listeners = new Set();
  return {
    get: () => value,
    /** @param {T} next */
    set(next) {
      value = next;
      for (const listener of [...listeners]) listener();
    },
    /** The value, as it changes. @returns {T} */
    use() {
      const [, render] = useState(0);
      useEffect(() => {
        const listener = () => render((count) => count + 1);
        listeners.add(listener);
        listener();
        return () => void listeners.delete(listener);
      }, []);
      return value;
    },
  };
}

/** What this browser remembers, for good (`localStorage`) or for this tab (`sessionStorage`). A browser
 * may forbid either: then it is remembered until the page is left. @param {() => Storage} storage */
function memory(storage) {
  /** @type {Record<string, any>} */
  let forbidden = {};
  return {
    /** @param {string} name @returns {any} */
    get(name) {
      try {
        return forbidden[name] ?? JSON.parse(storage().getItem(`loja:${name}`) ?? 'null');
      } catch {
        return null;
      }
    },
    /** @param {string} name @param {any} value nothing forgets it */
    set(name, value) {
      delete forbidden[name];
      try {
        if (value === null || value === undefined) storage().removeItem(`loja:${name}`);
        else storage().setItem(`loja:${name}`, JSON.stringify(value));
      } catch {
        forbidden[name] = value;
      }
    },
    /** Forgets everything. */
    clear() {
      forbidden = {};
      try {
        for (const name of Object.keys(storage())) if (name.startsWith('loja:')) storage().removeItem(name);
      } catch {}
    },
  };
}
export const kept = memory(() => localStorage);
export const ofTab = memory(() => sessionStorage);
