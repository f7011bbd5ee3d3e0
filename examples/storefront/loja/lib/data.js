// What a screen shows: read when it opens, and kept, so that going back shows at once what was there.

import { get } from './api.js';
import { useCallback, useEffect, useRef, useState } from './html.js';

const KEPT = 40;
/** @type {Map<string, any>} */
const answers = new Map();

function keep(path, data) {
  answers.delete(path);
  answers.set(path, data);
  if (answers.size > KEPT) answers.delete(/** @type {string} */ (answers.keys().next().value));
}

/** Forgets what begins so, since a change made it old. @param {string} start */
export const forget = (start) => {
  for (const path of [...answers.keys()]) if (path.startsWith(start)) answers.delete(path);
};

/** Reads an address once. @param {string} path */
export async function read(path) {
  if (!answers.has(path)) keep(path, await get(path));
  return answers.get(path);
}

/**
 * Reads an address, and again when it changes.
 * @param {string | null} path nothing is read while it is null
 * @param {Conditions} [conditions]
 * @returns {Data}
 */
export function useData(path, conditions) {
  const [state, setState] = useState(/** @type {any} */ ({ path: null, data: undefined, error: null }));
  const latest = useRef(0);
  const reload = useCallback(async () => {
    if (!path) return;
    const turn = ++latest.current;
    try {
      const data = await get(path, conditions);
      keep(path, data);
      if (turn === latest.current) setState({ path, data, error: null });
    } catch (error) {
      if (turn === latest.current) setState((old) => ({ path, data: old.path === path ? old.data : undefined, error }));
    }
  }, [path, conditions?.token]);
  useEffect(() => {
    void reload();
    return () => void latest.current++;
  }, [reload]);
  const set = useCallback(
    (data) => {
      latest.current++;
      if (path) keep(path, data);
      setState({ path, data, error: null });
    },
    [path],
  );
  const fits = state.path === path;
  return {
    data: fits ? state.data : path ? answers.get(path) : undefined,
    /** What was shown before, while another page of the same list is read. */
    last: state.data,
    error: fits ? state.error : null,
    reload,
    set,
  };
}
