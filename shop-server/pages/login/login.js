// The page to log in. It leads staff to the back office and everybody else to where they came from.

const byId = (id) => /** @type {HTMLElement} */ (document.getElementById(id));
const login = /** @type {HTMLFormElement} */ (byId('login'));
const recovery = /** @type {HTMLFormElement} */ (byId('recovery'));

/**
 * @param {string} text
 * @param {'bad' | 'good'} kind
 */
function tell(text, kind) {
  const notice = byId('notice');
  notice.textContent = text;
  notice.className = `notice ${kind}`;
  notice.hidden = false;
}

/**
 * @param {string} path
 * @param {object} body
 * @returns {Promise<any>}
 */
async function post(path, body) {
  const headers = { 'content-type': 'application/json' };
  const request = { method: 'POST', headers, body: JSON.stringify(body) };
  const response = await fetch(path, request).catch(() => null);
  if (!response) throw new Error('A loja não respondeu. Verifique a conexão e tente de novo.');
  const answer = await response.json();
  if (!response.ok) throw Object.assign(new Error(answer.error), { code: answer.code });
  return answer;
}

/** Where to go next: an address of this server and no other, as it was asked for. */
function next(role) {
  const wanted = new URL(new URLSearchParams(location.search).get('next') ?? '/', location.origin);
  const own = wanted.origin === location.origin;
  const forStaff = wanted.pathname === '/admin' || wanted.pathname.startsWith('/admin/');
  if (role === 'ADMIN') return own && forStaff ? wanted.href : '/admin';
  return own && !forStaff ? wanted.href : '/';
}

/**
 * @param {HTMLFormElement} form
 * @param {(input: Record<string, FormDataEntryValue>) => Promise<void>} action
 */
function onSubmit(form, action) {
  const button = /** @type {HTMLButtonElement} */ (form.querySelector('.primary'));
  form.addEventListener('submit', async (event) => {
    event.preventDefault();
    button.disabled = true;
    try {
      await action(Object.fromEntries(new FormData(form)));
    } catch (error) {
      tell(/** @type {Error} */ (error).message, 'bad');
    }
    button.disabled = false;
  });
}

onSubmit(login, async (input) => {
  const { code, ...rest } = input;
  try {
    const { user } = await post('/api/auth/login', code ? input : rest);
    location.replace(next(user.role));
  } catch (error) {
    if (/** @type {any} */ (error).code !== 'two_factor_required') throw error;
    byId('second').hidden = false;
    byId('code').focus();
    tell(/** @type {Error} */ (error).message, 'good');
  }
});

onSubmit(recovery, async (input) => {
  const { message } = await post('/api/auth/forgot-password', input);
  tell(message, 'good');
});

function show(recovering) {
  login.hidden = recovering;
  recovery.hidden = !recovering;
  byId('notice').hidden = true;
  byId('title').textContent = recovering ? 'Esqueci a senha' : 'Entrar';
  byId(recovering ? 'address' : 'email').focus();
}

byId('forgot').addEventListener('click', () => show(true));
byId('back').addEventListener('click', () => show(false));
