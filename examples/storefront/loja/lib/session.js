// Who is shopping: nobody is asked before a screen needs to know.

import { get, post } from './api.js';
import { useEffect } from './html.js';
import { ofTab, store } from './store.js';
import { toastError } from './toast.js';

/** `undefined` until it was asked, `null` without a session.
 * @type {ReturnType<typeof store<Profile | null | undefined>>} */
export const me = store(/** @type {Profile | null | undefined} */ (undefined));
/** Why it is not known who is shopping. */
export const unknown = store(/** @type {any} */ (null));
/** @type {Promise<Profile | null> | undefined} */
let asked;

/** Asks who is shopping, once. @returns {Promise<Profile | null>} */
export function whoIsIt() {
  asked ??= get('/api/auth/me').then(
    (profile) => {
      unknown.set(null);
      me.set(profile);
      return profile;
    },
    (error) => {
      asked = undefined;
      unknown.set(error.status === 401 ? null : error);
      me.set(null);
      if (error.status !== 401) throw error;
      return null;
    },
  );
  return asked;
}

/** Asks anew: the session has changed. */
export function askAgain() {
  asked = undefined;
  return whoIsIt();
}

/** The session's account, as it changes. */
export function useMe() {
  const profile = me.use();
  useEffect(() => void whoIsIt().catch(() => {}), []);
  return profile;
}

export async function leave() {
  try {
    await post('/api/auth/logout');
  } catch (error) {
    if (/** @type {any} */ (error).status !== 401) return toastError(error);
  }
  // Whoever shops in this tab next is somebody else.
  ofTab.clear();
  location.assign('/');
}
