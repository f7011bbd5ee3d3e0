// Logging out, and logging in again on top of a screen, which keeps what was typed on it.

import { get, post } from './api.js';
import { askFor, CODE, PASSWORD } from './ask-for.js';
import { html } from './html.js';
import { remedy } from './session.js';

/** @type {FieldProps[]} */
const FIELDS = [
  { name: 'email', label: 'E-mail', type: 'email', autocomplete: 'username' },
  { ...PASSWORD, name: 'password' },
];

export async function leave() {
  await post('/api/auth/logout').catch(() => {});
  location.assign('/login');
}

/** The way out of a question that has no other. */
export const wayOut = () => html`<button type="button" class="button plain" onClick=${leave}>Sair</button>`;

/** Somebody who may not be here, as a customer who logged in in another tab, says who of the staff it is.
 * Staff who are refused are refused: `false`. */
export const logInAsStaff = async () =>
  !(await isStaff()) && logInAgain('Este navegador entrou com uma conta de cliente');

const isStaff = () => get('/api/auth/me').then(({ data }) => data.role === 'ADMIN');

/** Has somebody of the staff log in, where nobody has. */
export const admit = async () => void ((await isStaff()) || (await remedy('forbidden')));

export async function logInAgain(title = 'Sua sessão terminou') {
  const question = {
    title,
    action: 'Entrar',
    children: html`<p class="muted">Entre com a conta da equipe para continuar. O que você estava fazendo continua aqui.</p>`,
  };
  const enter = async (input) => {
    const { data } = await post('/api/auth/login', input);
    if (data.user.role !== 'ADMIN') throw new Error('Entre com uma conta da equipe.');
    return 'in';
  };
  const enterOrKeep = (input) =>
    enter(input).catch((error) => {
      if (error.code !== 'two_factor_required') throw error;
      return input;
    });
  for (let state; state !== 'in'; ) {
    const input = await askFor({ ...question, fields: FIELDS, forced: wayOut, save: enterOrKeep });
    state =
      input === 'in'
        ? input
        : await askFor({ ...question, fields: [CODE], save: ({ code }) => enter({ ...input, code }) });
  }
}
