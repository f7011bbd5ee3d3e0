// Acts that a double click does not do twice.

const REST = 500;

/** An act that is not begun while it runs, nor in the moment after, when something else may have come to
 * stand below the pointer.
 * @template {any[]} On
 * @param {(...on: On) => Promise<unknown>} act
 * @returns {(...on: On) => Promise<void>}
 */
export function once(act) {
  let busy = false;
  return async (...on) => {
    if (busy) return;
    busy = true;
    await act(...on).finally(() => setTimeout(() => (busy = false), REST));
  };
}
