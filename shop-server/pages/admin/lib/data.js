// What a screen shows: read when it opens, kept while it is read again.

import { address, get } from './api.js';
import { onConnection } from './connection.js';
import { useCallback, useEffect, useRef, useState } from './html.js';
import { useQuery } from './router.js';

/**
 * Reads an address, again when it changes, and again when a server that was away is back.
 * @param {string | null} path nothing is read while it is null
 * @returns {Data}
 */
export function useData(path) {
  const [state, setState] = useState(
    /** @type {State} */ ({ data: undefined, etag: undefined, total: undefined, error: null, loading: true }),
  );
  const latest = useRef(0);
  const reload = useCallback(async () => {
    if (!path) return;
    const turn = ++latest.current;
    setState((old) => ({ ...old, loading: true }));
    try {
      const answer = await get(path);
      if (turn === latest.current) setState({ ...answer, error: null, loading: false });
    } catch (error) {
      if (turn === latest.current) setState((old) => ({ ...old, error, loading: false }));
    }
  }, [path]);
  useEffect(() => {
    void reload();
    return () => void latest.current++;
  }, [reload]);
  useEffect(
    () => onConnection((isAway) => void (!isAway && state.error?.status === 0 && reload())),
    [reload, state.error],
  );
  const set = useCallback((data, etag) => {
    latest.current++;
    setState((old) => ({ ...old, data, etag: etag ?? old.etag, error: null, loading: false }));
  }, []);
  return { ...state, reload, set };
}

/**
 * A list whose filters and page stand in the screen's address. One behind the last page leads to that.
 * @param {string} path
 * @param {string[]} names the filters, called as the API calls them
 * @param {Record<string, string>} [always] parameters that do not change
 */
export function useList(path, names, always = {}) {
  const [query, setQuery] = useQuery();
  const filters = Object.fromEntries(names.map((name) => [name, query.get(name)]));
  const limit = always.limit ?? '20';
  const list = useData(address(path, { ...filters, ...always, limit, page: query.get('page') }));
  const rows = Array.isArray(list.data) ? list.data : list.data?.data;
  const pages = list.data?.pagination ?? pagesOf(list.total, Number(query.get('page') ?? 1), Number(limit));
  const isBehind = pages?.total > 0 && rows?.length === 0;
  useEffect(() => {
    if (isBehind) setQuery({ page: String(pages.totalPages) }, true);
  }, [isBehind]);
  // The last page is on its way.
  const shown = isBehind ? {} : { rows, pages };
  return { ...list, ...shown, filtered: names.some((name) => query.get(name)) };
}

/** The pages of a bare array, which says in a header how many entries there are. */
function pagesOf(total, page, limit) {
  if (total === undefined) return undefined;
  return { total, page, limit, totalPages: Math.max(1, Math.ceil(total / limit)) };
}
