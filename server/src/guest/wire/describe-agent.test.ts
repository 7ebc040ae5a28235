import { expect, it } from 'vitest';

import { deferred } from '../../../test/fixtures/deferred.ts';
import type { AgentId } from '../../model/ids.ts';
import { jsonText } from '../../model/json.ts';
import { describeOn } from './describe-agent.ts';
import type { DescribedAgent } from '../port.ts';

const agentId = 'a' as AgentId;
const never = new AbortController().signal;

/** A guest that returns these results, one after the other. */
function guestWith(...results: (DescribedAgent | Error | undefined)[]) {
  const guest = {
    asked: 0,
    agents: {
      describeAgent: async () => {
        const result = results[guest.asked];
        guest.asked += 1;
        if (result instanceof Error) throw result;
        return result;
      },
    },
  };
  return guest;
}

it('asks a guest once for the same, also at the same time', async () => {
  const full: DescribedAgent = { agentId, inputSchema: jsonText('{}') };
  const drawn: DescribedAgent = { agentId, graph: jsonText('{}') };
  const guest = guestWith(full, drawn);
  const twice = [1, 2].map(() => describeOn(guest, agentId, { schemas: true }, never));
  expect(await Promise.all(twice)).toEqual([full, full]);
  expect(await describeOn(guest, agentId, { graph: true }, never)).toEqual(drawn);
  expect(await describeOn(guest, agentId, { graph: true, graphDepth: 0 }, never)).toEqual(drawn);
  expect(await describeOn(guest, agentId, { schemas: true }, never)).toEqual(full);
  expect(guest.asked).toBe(2);
});

it('asks every guest, since another one may have other code', async () => {
  const [old, fresh] = [guestWith({ agentId }), guestWith({ agentId, graph: jsonText('{}') })];
  expect(await describeOn(old, agentId, {}, never)).toEqual({ agentId });
  expect(await describeOn(fresh, agentId, {}, never)).toEqual({ agentId, graph: '{}' });
});

it('asks again after a failure', async () => {
  const error = { code: 'agent_error', message: 'not now' };
  const guest = guestWith(new Error('away'), undefined, { agentId, error }, { agentId });
  await expect(describeOn(guest, agentId, {}, never)).rejects.toThrow('away');
  expect(await describeOn(guest, agentId, {}, never)).toBeUndefined();
  expect(await describeOn(guest, agentId, {}, never)).toEqual({ agentId, error });
  expect(await describeOn(guest, agentId, {}, never)).toEqual({ agentId });
});

it('releases one caller, and the others have their result', async () => {
  const { promise, resolve } = deferred();
  const describeAgent = () => promise.then(() => ({ agentId }));
  const guest = { agents: { describeAgent } };
  const leaving = new AbortController();
  const left = describeOn(guest, agentId, {}, leaving.signal);
  const stayed = describeOn(guest, agentId, {}, never);
  leaving.abort();
  await expect(left).rejects.toMatchObject({ code: 'guest_unavailable' });
  resolve();
  expect(await stayed).toEqual({ agentId });
});
