// Logging in again on top of a screen, which keeps what was typed on it.

import { ask, Dialog } from './dialog.js';
import { html, useState } from './html.js';

export const logInAgain = () => ask((done) => html`<${LogIn} done=${done} />`);

function LogIn({ done }) {
  const [wrong, setWrong] = useState('');
  const [busy, setBusy] = useState(false);
  const [second, setSecond] = useState(false);
  const submit = async (event) => {
    event.preventDefault();
    setBusy(true);
    const { code, ...input } = Object.fromEntries(new FormData(event.currentTarget));
    if (code) input.code = code;
    const request = { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(input) };
    const response = await fetch('/api/auth/login', request).catch(() => null);
    const answer = await response?.json().catch(() => null);
    if (response?.ok && answer.user.role === 'ADMIN') return done();
    setBusy(false);
    if (answer?.code === 'two_factor_required') setSecond(true);
    setWrong(response?.ok ? 'Entre com uma conta da equipe.' : answer?.error ?? 'A loja não respondeu. Tente de novo.');
  };
  return html`<${Dialog} title="Sua sessão terminou" onClose=${() => setWrong('Entre de novo para continuar: o que você digitou não foi perdido.')}>
    <p class="muted">Entre de novo para continuar. O que você estava fazendo continua aqui.</p>
    <form class="grid one" onSubmit=${submit}>
      ${wrong && html`<p class="notice bad" role="alert">${wrong}</p>`}
      <div class="field"><label for="again-email">E-mail</label><input id="again-email" name="email" type="email" autocomplete="username" required /></div>
      <div class="field"><label for="again-password">Senha</label><input id="again-password" name="password" type="password" autocomplete="current-password" required /></div>
      ${second && html`<div class="field"><label for="again-code">Código de verificação</label><input id="again-code" name="code" inputmode="numeric" autocomplete="one-time-code" /></div>`}
      <button class="button primary" disabled=${busy}>Entrar</button>
    </form>
  <//>`;
}
