import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { testInvocation } from '../../../test/fixtures/invocation.ts';
import { startTestPool } from '../../../test/fixtures/test-pool.ts';
import { compositeRunId, type RunId } from '../../model/ids.ts';
import type { GuestPool } from './guest-pool.ts';
import type { Invocation } from '../port.ts';

const idOf = ({ threadId, runUuid }: Invocation): RunId => compositeRunId(threadId, runUuid);
const never = new AbortController().signal;
const raw = expect.objectContaining({ stream: 'stdout', text: 'raw line' });

let lines: object[] = [];
let pool: GuestPool;
beforeAll(async () => {
  pool = await startTestPool({
    logger: { debug() {}, info: (fields) => void lines.push(fields), warn() {}, error() {} },
  });
});
beforeEach(() => {
  lines = [];
});
afterAll(() => pool.close());

it('keeps what the agent of a run printed', async () => {
  const { invocation } = testInvocation({ do: 'print', text: 'hello' });
  await pool.invoke(invocation, never);
  await expect.poll(() => pool.output.read(idOf(invocation))).toHaveLength(2);
  expect(pool.output.read(idOf(invocation))).toMatchObject([
    { stream: 'stdout', text: 'hello', attempt: 1 },
    // Written past the guest's runtime: of the only run that it has.
    { stream: 'stdout', text: 'raw line', attempt: 1 },
  ]);
  const logged = expect.objectContaining({ run_id: invocation.runUuid, text: 'hello' });
  expect(lines).toContainEqual(logged);
});

it('leaves what may be of one of several runs to the log of the service', async () => {
  const stop = new AbortController();
  const other = testInvocation({ do: 'hang' });
  const hanging = pool.invoke(other.invocation, stop.signal);
  const { invocation } = testInvocation({ do: 'print', text: 'hello' });
  await pool.invoke(invocation, never);
  await expect.poll(() => lines).toContainEqual(raw);
  expect(pool.output.read(idOf(invocation))).toMatchObject([{ text: 'hello' }]);
  expect(pool.output.read(idOf(other.invocation))).not.toContainEqual(raw);
  stop.abort();
  await hanging;
});
