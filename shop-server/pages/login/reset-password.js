// The page that the mail about a forgotten password leads to.

import { byId, onSubmit, post, tell } from './form.js';

const token = new URLSearchParams(location.search).get('token');

/** Leaves the way on in place of the form.
 * @param {string} text
 * @param {'bad' | 'good'} kind
 */
function end(text, kind) {
  tell(text, kind);
  byId('reset').hidden = true;
  const link = byId('next');
  link.hidden = false;
  if (kind === 'bad') {
    link.href = '/login#senha';
    link.textContent = 'Pedir outro link';
  }
  link.focus();
}

onSubmit(byId('reset'), async ({ password, again }) => {
  if (password !== again) throw { fields: { again: ['As senhas não são iguais.'] } };
  try {
    const { message } = await post('/api/auth/reset-password', { token, password });
    end(message, 'good');
  } catch (error) {
    const { code, message } = /** @type {any} */ (error);
    if (code !== 'invalid_reset_token') throw error;
    end(message, 'bad');
  }
  // What is used or too old need not stay in the browser's history.
  history.replaceState(null, '', location.pathname);
});

if (!token) end('Este link está incompleto. Abra de novo o link do e-mail, ou peça outro.', 'bad');
