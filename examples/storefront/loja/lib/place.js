// Where a postal code is, filled into the fields of an address.

import { get } from './api.js';
import { digits } from './format.js';
import { useEffect, useRef, useState } from './html.js';

/**
 * Fills in what a postal code says that is typed. A street or district that was mended is left as it is.
 * @param {Form} form
 * @param {string} typed nothing is asked before it has its eight digits
 * @returns {any} what is wrong with it, if anything is
 */
export function usePlace(form, typed) {
  const code = digits(typed);
  const [error, setError] = useState(/** @type {any} */ (null));
  const latest = useRef(form);
  latest.current = form;
  const first = useRef(code);
  const filled = useRef(form.values);
  useEffect(() => {
    setError(null);
    if (code.length !== 8 || (code === first.current && latest.current.values.street)) return;
    let current = true;
    const fill = ({ street, district, city, state }) => {
      if (!current) return;
      const { values, set } = latest.current;
      const isMended = (name) => values[name] && values[name] !== filled.current[name];
      const mended = ['street', 'district'].filter(isMended);
      const known = Object.entries({ street, district, city, state }).filter(
        ([name, value]) => value && !mended.includes(name),
      );
      filled.current = { ...filled.current, ...Object.fromEntries(known) };
      set(Object.fromEntries(known));
    };
    get(`/api/shipping/cep/${code}`).then(fill, (wrong) => current && setError(wrong));
    return () => {
      current = false;
    };
  }, [code]);
  return error;
}
