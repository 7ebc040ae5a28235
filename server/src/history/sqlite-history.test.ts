import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describeRunHistory } from '../../test/conformance/run-history.ts';

describeRunHistory('the run history in SQLite', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'history-test-'));
  return {
    database: { provider: 'sqlite', path: join(folder, 'deep', 'history.db') },
    remove: () => rm(folder, { recursive: true }),
  };
});
