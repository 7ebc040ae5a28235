import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { describeOutbox } from '../../test/conformance/webhooks.ts';
import { openOutbox } from './open-outbox.ts';

async function make() {
  const folder = await mkdtemp(join(tmpdir(), 'webhooks-test-'));
  const path = join(folder, 'deep', 'webhooks.db');
  return {
    database: { provider: 'sqlite' as const, path },
    remove: () => rm(folder, { recursive: true }),
  };
}

describeOutbox('webhooks in SQLite', make);

it('is there only when it was needed, and reports a file that cannot be opened', async () => {
  const { database, remove } = await make();
  const outbox = openOutbox(database);
  expect(outbox.mayHaveSome()).toBe(false);
  await mkdir(database.path, { recursive: true });
  await expect(outbox.nextDue()).rejects.toMatchObject({ code: 'webhooks_unavailable' });
  await rm(database.path, { recursive: true });
  expect(await outbox.nextDue()).toBeUndefined();
  await outbox.close();
  await remove();
});
