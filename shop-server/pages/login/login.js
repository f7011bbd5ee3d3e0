// The page to log in. It leads staff to the back office and everybody else to where they came from.

import { byId, mark, onSubmit, post, tell } from './form.js';

/** The part of the address under which a link to another password is asked for. */
const RECOVERY = '#senha';
const [login, recovery] = [byId('login'), byId('recovery')];

/** Where to go next: an address of this server and no other, as it was asked for. */
function next(role) {
  const wanted = new URL(new URLSearchParams(location.search).get('next') ?? '/', location.origin);
  const own = wanted.origin === location.origin;
  const forStaff = wanted.pathname === '/admin' || wanted.pathname.startsWith('/admin/');
  if (role === 'ADMIN') return own && forStaff ? wanted.href : '/admin';
  return own && !forStaff ? wanted.href : '/';
}

onSubmit(login, async ({ code, ...input }) => {
  try {
    const { user } = await post('/api/auth/login', code ? { ...input, code } : input);
    location.replace(next(user.role));
  } catch (error) {
    if (/** @type {any} */ (error).code !== 'two_factor_required') throw error;
    byId('second').hidden = false;
    byId('code').focus();
    tell(/** @type {Error} */ (error).message, 'good');
  }
});

onSubmit(recovery, async (input) => tell((await post('/api/auth/forgot-password', input)).message, 'good'));

/** @param {Event} [event] none when the page opens, where a person may be typing already */
function show(event) {
  const recovering = location.hash === RECOVERY;
  login.hidden = recovering;
  recovery.hidden = !recovering;
  tell('');
  document.title = byId('title').textContent = recovering ? 'Esqueci a senha' : 'Entrar';
  if (recovering) byId('address').value ||= byId('email').value;
  if (event || recovering) byId(recovering ? 'address' : 'email').focus();
}

addEventListener('hashchange', show);
byId('forgot').disabled = false;
byId('forgot').addEventListener('click', () => (location.hash = RECOVERY));
byId('back').addEventListener('click', () => (location.hash = ''));
byId('other').addEventListener('click', () => {
  byId('code').inputMode = 'text';
  byId('code-label').textContent = 'Código de recuperação';
  byId('code').value = '';
  mark(login, {});
  byId('code').focus();
  byId('other').hidden = true;
});
show();
