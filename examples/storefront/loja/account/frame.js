// What is around every screen of an account: its parts, and the way out.

import { html } from '../lib/html.js';
import { Failure, Screen, Skeleton } from '../lib/parts.js';
import { loginPath, useLocation } from '../lib/router.js';
import { askAgain, leave, unknown, useMe } from '../lib/session.js';

const PARTS = [
  ['/conta', 'Pedidos'],
  ['/conta/enderecos', 'Endereços'],
  ['/conta/desejos', 'Desejos'],
  ['/conta/avisos', 'Avisos'],
  ['/conta/dados', 'Meus dados'],
  ['/conta/senha', 'Senha'],
];

/** @param {{ title: string, children: (profile: Profile) => any }} props */
export function Account({ title, children }) {
  const { path } = useLocation();
  const profile = useMe();
  const error = unknown.use();
  if (error)
    return html`<${Screen} title="Minha conta" kind="narrow"><${Failure} error=${error} retry=${() => askAgain().catch(() => {})} /><//>`;
  if (profile === null)
    return html`<${Screen} title="Minha conta" lead="Entre para ver seus pedidos, endereços e desejos." kind="narrow centered">
      <p class="actions"><a class="button primary" href=${loginPath()}>Entrar</a><a class="button" href="/cadastro?next=${path}">Criar conta</a></p>
      <p class="small muted">Comprou sem conta? Abra o pedido pelo link que enviamos por e-mail.</p>
    <//>`;
  return html`<${Screen} title=${title} kind="account">
    <div class="account-split">
      <nav aria-label="Minha conta" class="side">
        ${PARTS.map(([to, text]) => html`<a key=${to} href=${to} aria-current=${path === to ? 'page' : undefined}>${text}</a>`)}
        <button type="button" class="link" onClick=${leave}>Sair</button>
      </nav>
      <div class="stack">${profile ? children(profile) : html`<${Skeleton} />`}</div>
    </div>
  <//>`;
}
