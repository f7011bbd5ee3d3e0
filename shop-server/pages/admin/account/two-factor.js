// The second factor of one's own log-ins: enrolled, given new recovery codes, ended.

import { post, send } from '../lib/api.js';
import { askFor, CODE, PASSWORD } from '../lib/ask-for.js';
import { ask, confirm, Dialog } from '../lib/dialog.js';
import { html } from '../lib/html.js';
import { wayOut } from '../lib/login.js';
import { Copy } from '../lib/parts.js';
import { toast } from '../lib/toast.js';

export const PATH = '/api/admin/settings/two-factor';

/** @type {FieldProps} */
const FROM_APP = {
  name: 'code',
  label: 'Código do aplicativo',
  autocomplete: 'one-time-code',
  inputmode: 'numeric',
  placeholder: '000000',
};

/** What another tab has done meanwhile is done. */
const unlessEnabled = (error) => {
  if (error.code !== 'two_factor_enabled') throw error;
};

/**
 * From the password over the authenticator to the recovery codes.
 * @param {boolean} [forced] whether there is no way round it but to log out
 */
export async function enrol(forced = false) {
  const title = forced ? 'A loja exige a verificação em duas etapas' : 'Ativar a verificação em duas etapas';
  const way = forced ? wayOut : undefined;
  const begun = await askFor({
    title,
    forced: way,
    fields: [PASSWORD],
    action: 'Continuar',
    children: html`<p>Além da senha, a entrada passa a pedir um código do seu celular. Tenha à mão um aplicativo autenticador,
      como Google Authenticator, Microsoft Authenticator ou Aegis. Para começar, confirme sua senha.</p>`,
    save: (input) =>
      post(PATH, input)
        .catch(unlessEnabled)
        .then((answer) => answer?.data),
  });
  if (!begun) return;
  const codes = await askFor({
    title,
    forced: way,
    fields: [FROM_APP],
    action: 'Ativar',
    children: html`<${Scan} ...${begun} />`,
    save: (input) =>
      post(`${PATH}/confirm`, input)
        .catch(unlessEnabled)
        .then((answer) => answer?.data.recoveryCodes),
  });
  if (codes) await show(codes);
}

function Scan({ secret, otpauthUrl, qrCode }) {
  return html`<p>Leia esta imagem com o aplicativo e digite o código que ele mostrar.</p>
    <img class="qr" src="data:image/png;base64,${qrCode}" alt="Código QR para o aplicativo autenticador" />
    <p class="small muted">O aplicativo está neste aparelho? <a href=${otpauthUrl}>Abra-o por aqui</a>, ou digite nele esta chave:</p>
    <div class="secret"><code>${secret.replace(/.{4}(?=.)/g, '$& ')}</code><${Copy} text=${secret} label="Copiar chave" /></div>`;
}

export async function renewCodes() {
  const codes = await askFor({
    title: 'Novos códigos de recuperação',
    fields: [PASSWORD, CODE],
    action: 'Criar novos códigos',
    children: html`<p>Os códigos anteriores deixam de valer. O aplicativo autenticador continua o mesmo.</p>`,
    save: (input) => post(`${PATH}/recovery-codes`, input).then(({ data }) => data.recoveryCodes),
  });
  if (codes) await show(codes);
}

export async function disable() {
  const ended = await askFor({
    title: 'Desativar a verificação em duas etapas?',
    fields: [PASSWORD, CODE],
    action: 'Desativar',
    danger: true,
    children: html`<p>As próximas entradas pedirão apenas a senha. Os códigos de recuperação deixam de valer.</p>`,
    save: (input) => send('DELETE', PATH, input),
  });
  if (ended) toast('Verificação em duas etapas desativada.');
}

/** Shows recovery codes, which nobody can see again.
 * @param {string[]} codes
 * @returns {Promise<void>}
 */
const show = (codes) =>
  ask((done) => {
    const text = `Códigos de recuperação de ${location.host}\n\n${codes.join('\n')}\n`;
    const close = async () =>
      (await confirm({
        title: 'Guardou os códigos?',
        text: 'Eles não serão mostrados de novo.',
        action: 'Guardei',
        stay: 'Voltar',
      })) && done(undefined);
    return html`<${Dialog} title="Códigos de recuperação" onClose=${close}>
    <p class="notice warn">Guarde estes códigos em lugar seguro: eles não serão mostrados de novo. Sem o celular, cada um deles vale para entrar uma vez.</p>
    <ul class="codes">${codes.map((code) => html`<li key=${code}><code>${code}</code></li>`)}</ul>
    <p class="actions left">
      <${Copy} text=${text} label="Copiar códigos" />
      <a class="button" download="codigos-de-recuperacao.txt" href="data:text/plain;charset=utf-8,${encodeURIComponent(text)}">Baixar como texto</a>
    </p>
    <p class="actions"><button type="button" class="button primary" onClick=${() => done(undefined)}>Guardei os códigos</button></p>
  <//>`;
  });
