// A session that ends while somebody works: the screen stays as it is, asks to log in, and goes on.

/** @type {(() => Promise<void>) | null} */
let ask = null;
/** @type {Promise<void> | null} */
let asking = null;

/** Says how to ask for a new session: ready once there is one.
 * @param {() => Promise<void>} handler
 */
export function onLost(handler) {
  ask = handler;
}

/** Waits for a new session; requests that fail at the same time ask once. */
export function lost() {
  if (!ask) {
    location.assign('/login');
    return new Promise(() => {});
  }
  asking ??= ask().finally(() => {
    asking = null;
  });
  return asking;
}
