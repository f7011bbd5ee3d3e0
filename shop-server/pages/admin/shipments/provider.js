// Whether the shop buys labels.

import { get } from '../lib/api.js';
import { useEffect, useState } from '../lib/html.js';

/** Asked once: the configuration says it, and the answer may take a question to the provider.
 * @type {Promise<boolean> | undefined} */
let answer;

const ask = async () => {
  const { data } = await get('/api/admin/shipping/label-provider');
  return data.provider !== null;
};

/** Undefined until it is known; where that cannot be found out, buying says what is wrong. */
export function useLabels() {
  const [buys, setBuys] = useState(/** @type {boolean | undefined} */ (undefined));
  useEffect(() => {
    answer ??= ask();
    answer.then(setBuys, () => {
      answer = undefined;
      setBuys(true);
    });
  }, []);
  return buys;
}
