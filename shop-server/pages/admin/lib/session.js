// Refusals that a person can put right, as a session that ended: the screen stays as it is, the person
// does what is needed, and the request is sent again.

/** @type {Map<string, () => Promise<unknown>>} */
const remedies = new Map();
/** @type {Map<string, Promise<unknown>>} */
const running = new Map();

/** Says what puts refusals of this code right: done once the request may be sent again, or with `false` where
 * that would be refused as well.
 * @param {string} code
 * @param {() => Promise<unknown>} remedy
 */
export const onRefusal = (code, remedy) => void remedies.set(code, remedy);

/** Puts a refusal right, once for all requests that meet it at the same time. Answers whether it did.
 * @param {string} code
 */
export async function remedy(code) {
  const start = remedies.get(code);
  if (start && !running.has(code))
    running.set(
      code,
      start().finally(() => running.delete(code)),
    );
  return running.has(code) && (await running.get(code)) !== false;
}
