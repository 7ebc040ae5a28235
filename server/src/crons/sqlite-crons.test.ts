import { mkdir, mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { describeCrons } from '../../test/conformance/crons.ts';
import { openCrons } from './open-crons.ts';

async function make() {
  const folder = await mkdtemp(join(tmpdir(), 'crons-test-'));
  const path = join(folder, 'deep', 'crons.db');
  return {
    database: { provider: 'sqlite' as const, path },
    remove: () => rm(folder, { recursive: true }),
  };
}

describeCrons('crons in SQLite', make);

it('is readable by its user only, and is there only when it was needed', async () => {
  const { database, remove } = await make();
  const crons = openCrons(database);
  expect(crons.mayHaveSome()).toBe(false);
  expect(await crons.list({})).toEqual([]);
  expect(crons.mayHaveSome()).toBe(true);
  expect((await stat(database.path)).mode & 0o777).toBe(0o600);
  await crons.close();
  await remove();
});

it('reports a file that cannot be opened, and opens it when it can', async () => {
  const { database, remove } = await make();
  await mkdir(database.path, { recursive: true });
  const crons = openCrons(database);
  await expect(crons.list({})).rejects.toMatchObject({ code: 'crons_unavailable' });
  await rm(database.path, { recursive: true });
  expect(await crons.list({})).toEqual([]);
  await crons.close();
  await remove();
});
