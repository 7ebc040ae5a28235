import { expect, it } from 'vitest';
import { permittedRows } from './permitted-rows.ts';
import { ROWS_ASKED_AT_ONCE } from './limits/search-limits.ts';

it('keeps what is permitted, in its order, and asks about some rows at a time', async () => {
  const rows = Array.from({ length: 2 * ROWS_ASKED_AT_ONCE + 1 }, (_, index) => index);
  let asked = 0;
  let most = 0;
  const even = await permittedRows(rows, async (row) => {
    most = Math.max(most, ++asked);
    await Promise.resolve();
    asked -= 1;
    return row % 2 === 0;
  });
  expect([even, most]).toEqual([rows.filter((row) => row % 2 === 0), ROWS_ASKED_AT_ONCE]);
  expect(await permittedRows([1, 2, 3], (row) => row > 1)).toEqual([2, 3]);
});
