// Where an order goes: a saved address, or one that is typed, begun by its postal code.

import { Field } from '../lib/form.js';
import { cep, STATES } from '../lib/format.js';
import { html } from '../lib/html.js';
import { isUnknownCep, UNKNOWN_CEP } from '../lib/shipping.js';

/** @param {Address[]} addresses @param {string} id */
export const savedAddress = (addresses, id) => addresses.find((one) => one.id === id);

/** An address on one line. @param {Omit<Address, 'id' | 'isDefault' | 'label'>} of */
export const inWords = (of) =>
  `${of.street}, ${of.number}${of.complement ? `, ${of.complement}` : ''} · ${of.district}, ${of.city}/${of.state} · ${cep(of.zipCode)}`;

/** @param {{ form: Form, addresses: Address[], error: any }} props */
export function AddressFields({ form, addresses, error }) {
  const { addressId } = form.values;
  const choice = (id, children) => html`<label class="choice" key=${id}>
    <input type="radio" name="address" checked=${addressId === id} onChange=${() => form.set({ addressId: id })} /><span>${children}</span></label>`;
  return html`<section class="card stack" aria-labelledby="address"><h2 id="address">Entrega</h2>
    ${
      addresses.length > 0 &&
      html`<fieldset class="choices"><legend class="sr-only">Endereço de entrega</legend>
        ${addresses.map((one) => choice(one.id, html`<strong>${one.label}</strong><br /><span class="small muted">${inWords(one)}</span>`))}
        ${choice('', 'Outro endereço')}
      </fieldset>`
    }
    ${!addressId && html`<${Typed} form=${form} error=${error} />`}
  </section>`;
}

/** The fields of an address. @param {{ form: Form, error?: any }} props what asking about the postal code came to */
export function Typed({ form, error }) {
  const unknown = error && isUnknownCep(error) && !form.errors.zipCode;
  const shown = unknown ? { ...form, errors: { ...form.errors, zipCode: [UNKNOWN_CEP] } } : form;
  return html`<div class="fields address">
    <${Field} form=${shown} name="zipCode" label="CEP" mask=${cep} inputmode="numeric" autocomplete="postal-code" placeholder="00000-000" required />
    <${Field} form=${form} name="street" label="Rua" autocomplete="address-line1" required class="wide" />
    <${Field} form=${form} name="number" label="Número" required />
    <${Field} form=${form} name="complement" label="Complemento" autocomplete="address-line2" />
    <${Field} form=${form} name="district" label="Bairro" autocomplete="address-level3" required />
    <${Field} form=${form} name="city" label="Cidade" autocomplete="address-level2" required />
    <${Field} form=${form} name="state" label="Estado" type="select" autocomplete="address-level1" options=${[['', 'UF'], ...STATES.map((state) => [state, state])]} required />
  </div>`;
}
