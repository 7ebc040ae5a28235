import { mkdir, mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { describeAssistants } from '../../test/conformance/assistants.ts';
import { openAssistants } from './open-assistants.ts';

async function make() {
  const folder = await mkdtemp(join(tmpdir(), 'assistants-test-'));
  const path = join(folder, 'deep', 'assistants.db');
  return {
    database: { provider: 'sqlite' as const, path },
    remove: () => rm(folder, { recursive: true }),
  };
}

describeAssistants('assistants in SQLite', make);

it('is readable by its user only', async () => {
  const { database, remove } = await make();
  const assistants = openAssistants(database);
  expect(await assistants.list({})).toEqual([]);
  expect((await stat(database.path)).mode & 0o777).toBe(0o600);
  await assistants.close();
  await remove();
});

it('reports a file that cannot be opened, and opens it when it can', async () => {
  const { database, remove } = await make();
  await mkdir(database.path, { recursive: true });
  const assistants = openAssistants(database);
  await expect(assistants.list({})).rejects.toMatchObject({ code: 'assistants_unavailable' });
  await rm(database.path, { recursive: true });
  expect(await assistants.list({})).toEqual([]);
  await assistants.close();
  await remove();
});
