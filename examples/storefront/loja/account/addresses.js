// The addresses of a customer.

import { inWords, Typed } from '../checkout/address.js';
import { patch, post, remove } from '../lib/api.js';
import { useData } from '../lib/data.js';
import { confirm } from '../lib/dialog.js';
import { Field, FormFailure, Send, useForm } from '../lib/form.js';
import { cep, digits } from '../lib/format.js';
import { html, useEffect, useRef, useState } from '../lib/html.js';
import { Empty, keepFocus, Loaded } from '../lib/parts.js';
import { usePlace } from '../lib/place.js';
import { toast, toastError } from '../lib/toast.js';
import { Account } from './frame.js';

export default function Addresses() {
  return html`<${Account} title="Endereços">${() => html`<${List} />`}<//>`;
}

function List() {
  const list = useData('/api/user/addresses');
  const [edited, setEdited] = useState(/** @type {Partial<Address> | null} */ (null));
  const opener = useRef('');
  useEffect(() => {
    if (!edited) document.getElementById(opener.current)?.focus();
  }, [edited]);
  const edit = (event, one) => {
    opener.current = event.currentTarget.id;
    setEdited(one);
  };
  const done = async () => {
    setEdited(null);
    await list.reload();
  };
  const drop = async (one) => {
    if (!(await confirm({ title: `Excluir o endereço ${one.label}?`, text: inWords(one), action: 'Excluir' }))) return;
    await remove(`/api/user/addresses/${one.id}`).catch(toastError);
    await list.reload();
    keepFocus();
  };
  const prefer = async (one) => {
    await patch(`/api/user/addresses/${one.id}`, { isDefault: true }).catch(toastError);
    await list.reload();
    keepFocus();
  };
  if (edited) return html`<${Editor} key=${edited.id} of=${edited} onDone=${done} onBack=${() => setEdited(null)} />`;
  return html`<${Loaded} of=${list} count=${3}>${(all) => html`
    ${!all.length && html`<${Empty} title="Nenhum endereço guardado" />`}
    ${all.map(
      (one) => html`<div class="card stack" key=${one.id}>
      <p><strong>${one.label}</strong> ${one.isDefault && html`<span class="badge">Principal</span>`}<br />${inWords(one)}</p>
      <p class="actions">
        <button type="button" id="edit-${one.id}" class="link small" aria-label="Alterar ${one.label}" onClick=${(event) => edit(event, one)}>Alterar</button>
        ${!one.isDefault && html`<button type="button" class="link small" aria-label="Usar ${one.label} como principal" onClick=${() => prefer(one)}>Usar como principal</button>`}
        <button type="button" class="link small" aria-label="Excluir ${one.label}" onClick=${() => drop(one)}>Excluir</button>
      </p></div>`,
    )}
    <p><button type="button" id="new" class="button primary" onClick=${(event) => edit(event, {})}>Novo endereço</button></p>`}<//>`;
}

/** @param {{ of: Partial<Address>, onDone: () => Promise<void>, onBack: () => void }} props */
function Editor({ of, onDone, onBack }) {
  const { id, isDefault: _, ...known } = of;
  const initial = {
    label: 'Casa',
    street: '',
    number: '',
    complement: '',
    district: '',
    city: '',
    state: '',
    ...known,
    zipCode: cep(of.zipCode ?? ''),
  };
  const form = useForm(initial, async (values) => {
    const input = { ...values, zipCode: digits(values.zipCode) };
    await (id ? patch(`/api/user/addresses/${id}`, input) : post('/api/user/addresses', input));
    toast('Endereço salvo.');
    await onDone();
  });
  const changed = digits(form.values.zipCode) !== (of.zipCode ?? '');
  const error = usePlace(form, changed ? form.values.zipCode : '');
  const place = useRef(/** @type {HTMLFormElement | null} */ (null));
  useEffect(() => place.current?.querySelector('input')?.focus(), []);
  return html`<form class="card stack" ref=${place} novalidate onSubmit=${form.submit}>
    <h2>${id ? 'Alterar endereço' : 'Novo endereço'}</h2>
    <${Field} form=${form} name="label" label="Nome do endereço" placeholder="Casa, trabalho…" required />
    <${Typed} form=${form} error=${error} />
    <${FormFailure} form=${form} />
    <p class="actions"><${Send} form=${form} label="Salvar" busy="Salvando…" /><button type="button" class="button" onClick=${onBack}>Voltar</button></p>
  </form>`;
}
