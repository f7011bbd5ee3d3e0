// How many units there are of an item, when staff count them.

import { get, patch } from '../lib/api.js';
import { confirm } from '../lib/dialog.js';
import { count, plural } from '../lib/format.js';

/** Sets the units of an item, if it still has those that were seen; asks where they moved meanwhile. */
export async function setStock(item, stock) {
  const path = `/api/admin/stock/${item.id}`;
  const { data, etag } = await get(path);
  if (data.stock !== item.stock) {
    const text = `Quando a página foi aberta havia ${plural(item.stock, 'unidade', 'unidades')}, agora há ${count(data.stock)}. Definir ${count(stock)} mesmo assim?`;
    if (!(await confirm({ title: `O estoque de ${item.name} mudou`, text, action: `Definir ${count(stock)}` })))
      return false;
  }
  await patch(path, { stock }, etag);
  return true;
}
