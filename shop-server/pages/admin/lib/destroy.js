// Deleting: asked for first, by name, and said when it is done.

import { remove } from './api.js';
import { confirm } from './dialog.js';
import { toast, toastError } from './toast.js';

/**
 * @param {{ title: string, text?: string, path: string, done: string, action?: string }} what
 * @returns {Promise<boolean>} whether it is gone
 */
export async function destroy({ title, text, path, done, action = 'Excluir' }) {
  if (!(await confirm({ title, text, action, danger: true }))) return false;
  try {
    await remove(path);
    toast(done);
    return true;
  } catch (error) {
    toastError(error);
    return false;
  }
}
