import { expect, it } from 'vitest';
import { DenialLog } from './denial-log.ts';

it('logs the same again after a while, with how much was not logged', () => {
  const lines: object[] = [];
  let now = 0;
  const warn = (fields: object): void => void lines.push(fields);
  const logger = { debug: warn, info: warn, warn, error: warn };
  const log = new DenialLog({
    ...{ logger, runsOf: () => [], burst: { ms: 1_000, hosts: 2 }, now: () => now },
  });
  for (const host of ['a', 'a', 'b', 'c']) log.note({ host, port: 80 }, 'not_allowed');
  now = 1_000;
  log.note({ host: 'a', port: 80 }, 'not_allowed');
  log.note({ host: 'a', port: 80 }, 'private_address');
  const line = { port: 80, run_ids: [], reason: 'not_allowed' };
  expect(lines).toEqual([
    { ...line, host: 'a' },
    { ...line, host: 'b', not_logged: 1 },
    { ...line, host: 'a', not_logged: 1 },
    { ...line, host: 'a', reason: 'private_address' },
  ]);
});
