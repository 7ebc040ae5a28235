/** Over a second: a guest is started, once for all. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startTestPool, testAgent } from '../../../test/fixtures/test-pool.ts';
import type { AgentId, ThreadId } from '../../model/ids.ts';
import { jsonText } from '../../model/json.ts';
import { guestLimits } from '../limits.ts';
import type { GuestPool } from '../pool/guest-pool.ts';
import type { CalledModel } from '../port.ts';

let pool: GuestPool;
beforeAll(async () => {
  pool = await startTestPool({ limits: { ...guestLimits, modelCallMs: 2_000 } });
});
afterAll(() => pool.close());

function call(
  name: string,
  signal = new AbortController().signal,
  agentId: AgentId = testAgent.agentId,
): Promise<CalledModel> {
  const [messages, params] = [jsonText('[{"type":"human","content":"hi"}]'), jsonText('{}')];
  const threadId = 't' as ThreadId; // a valid id
  return pool.callModel(
    { agentId, threadId, name, recordedParams: params, messages, params },
    signal,
  );
}

it('returns what the model returned', async () => {
  expect(await call('Echo')).toEqual({
    output: '[{"type":"human","content":"hi"}]',
    latencyMs: 2.5,
    model: 'echo-1',
  });
});

it('fails with what the model raised, and for an agent that is not there', async () => {
  await expect(call('Failing')).rejects.toMatchObject({
    code: 'model_failed',
    message: 'The model failed: TypeError: no credit',
  });
  const none = call('Echo', undefined, 'none' as AgentId);
  await expect(none).rejects.toMatchObject({ code: 'agent_not_found' });
});

it('fails after its time or when it is cancelled, and its guest stays', async () => {
  const [pid] = pool.pids();
  await expect(call('Silent')).rejects.toMatchObject({
    code: 'model_failed',
    message: 'The model did not respond within 2 s.',
  });
  const left = new AbortController();
  const cancelled = call('Silent', left.signal);
  left.abort();
  await expect(cancelled).rejects.toMatchObject({ code: 'model_failed' });
  expect(await call('Echo')).toMatchObject({ model: 'echo-1' });
  expect(pool.pids()).toEqual([pid]);
});

it('fails when its guest exits', async () => {
  await expect(call('Exiting')).rejects.toMatchObject({ code: 'guest_unavailable' });
});
