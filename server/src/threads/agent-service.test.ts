import { describe, expect, it } from 'vitest';
import { exampleAgents } from '../../test/fixtures/http-service.ts';
import { anonymousPrincipal as caller } from '../model/principal.ts';
import { createPermissiveDomain } from '../policy/built-in-policies.ts';
import { AgentService } from './agent-service.ts';
import type { AgentDescriptionPort } from './ports.ts';

/** A guest that is busy until no caller waits any more. */
const busy: AgentDescriptionPort = {
  describeAgent: (_agentId, _wanted, signal) =>
    new Promise((_resolve, reject) => {
      signal.addEventListener('abort', () => reject(new Error('given up')), { once: true });
    }),
};

const agents = new AgentService({
  agents: exampleAgents,
  descriptions: busy,
  policy: createPermissiveDomain(),
  describeLimitMs: 10,
});

describe('an agent whose guest does not respond', () => {
  it('has no schemas and no graph after the time limit', async () => {
    const failure = { code: 'guest_unavailable', message: 'No guest described the agent in time.' };
    const never = new AbortController().signal;
    await expect(agents.schemas(caller, 'echo', never)).rejects.toMatchObject(failure);
    await expect(agents.graph(caller, 'echo', 0, never)).rejects.toMatchObject(failure);
  });

  it('is not waited for once the client is gone', async () => {
    const gone = AbortSignal.abort(new Error('gone'));
    await expect(agents.schemas(caller, 'echo', gone)).rejects.toThrow('gone');
  });
});
