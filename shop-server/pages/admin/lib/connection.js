// Whether the server answers. While it does not, it is asked until it does, and who waits is told.

/** @type {Set<(isAway: boolean) => void>} */
const listeners = new Set();
const PAUSE = 2000;
let isAway = false;

/** Is called with each change of state.
 * @param {(isAway: boolean) => void} listener
 * @returns {() => void} to be called when it is not needed any more
 */
export function onConnection(listener) {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

function change(state) {
  if (isAway === state) return;
  isAway = state;
  for (const listener of [...listeners]) listener(state);
}

/** A request found no server. */
export function away() {
  if (isAway) return;
  change(true);
  const look = async () => {
    const response = await fetch('/healthz').catch(() => null);
    if (response?.ok) change(false);
    else setTimeout(look, PAUSE);
  };
  setTimeout(look, PAUSE);
}
