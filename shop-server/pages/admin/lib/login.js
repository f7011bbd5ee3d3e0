// Logging out, and logging in again on top of a screen, which keeps what was typed on it.

import { post } from './api.js';
import { askFor, CODE, PASSWORD } from './ask-for.js';
import { html } from './html.js';

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

export async function logInAgain() {
  const question = {
    title: 'Sua sessão terminou',
    action: 'Entrar',
    children: html`<p class="muted">Entre de novo para continuar. O que você estava fazendo continua aqui.</p>`,
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
