// Forms of the pages that need no session: what is sent, and what is wrong with which field.

export const byId = (id) => /** @type {any} */ (document.getElementById(id));

/** The fields that are wrong where the server says so by its code alone.
 * @type {Record<string, string>} */
const FIELD_OF = { invalid_two_factor_code: 'code' };

/**
 * @param {string} text nothing hides the notice
 * @param {'bad' | 'good'} [kind]
 */
export function tell(text, kind = 'bad') {
  const notice = byId('notice');
  notice.textContent = text;
  notice.className = `notice ${kind}`;
  notice.hidden = !text;
}

/**
 * @param {string} path
 * @param {object} body
 * @returns {Promise<any>}
 */
export async function post(path, body) {
  const headers = { 'content-type': 'application/json' };
  const request = { method: 'POST', headers, body: JSON.stringify(body) };
  const response = await fetch(path, request).catch(() => null);
  const answer = await response?.json().catch(() => null);
  if (response?.ok) return answer;
  const text = answer?.error ?? 'A loja não respondeu. Verifique a conexão e tente de novo.';
  const field = FIELD_OF[answer?.code];
  throw Object.assign(new Error(text), {
    code: answer?.code,
    fields: answer?.details?.fieldErrors ?? (field && { [field]: [text] }),
  });
}

/** Says at each field what is wrong with it, below it, and leads to the first one.
 * @param {HTMLFormElement} form
 * @param {Record<string, string[]>} errors
 * @returns {boolean} whether there is such a field
 */
export function mark(form, errors) {
  const inputs = form.querySelectorAll('input');
  for (const input of inputs) {
    const texts = errors[input.name];
    input.setAttribute('aria-invalid', String(Boolean(texts)));
    byId(`${input.id}-wrong`).textContent = texts?.join(' ') ?? '';
  }
  const first = [...inputs].find((input) => errors[input.name]);
  first?.focus();
  return Boolean(first);
}

/** From now on the form can be sent. Until then its button is disabled, so that a browser never sends by
 * itself what was typed early, as part of an address.
 * @param {HTMLFormElement} form
 * @param {(input: any) => Promise<void>} action
 */
export function onSubmit(form, action) {
  const button = /** @type {HTMLButtonElement} */ (form.querySelector('.primary'));
  form.addEventListener('submit', async (event) => {
    event.preventDefault();
    button.disabled = true;
    mark(form, {});
    tell('');
    try {
      await action(Object.fromEntries(new FormData(form)));
    } catch (error) {
      const { message, fields = {} } = /** @type {any} */ (error);
      if (!mark(form, fields)) tell(message);
    }
    button.disabled = false;
  });
  button.disabled = false;
}
