import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runRequest, startGuest, type GuestProcess } from './guest-process.ts';
import { startMemoryHost, type MemoryHost } from './memory-host.ts';

const agents = ['none', 'zod4', 'zod3', 'lenient', 'annotation', 'factory'];

describe('the context of a run', () => {
  let host: MemoryHost;
  let guest: GuestProcess;

  beforeAll(async () => {
    host = await startMemoryHost();
    const paths = agents.map((name) => [name, `./contexts.ts:${name}`]);
    guest = await startGuest(host, Object.fromEntries(paths));
  });
  afterAll(async () => {
    await guest.kill();
    await host.close();
  });

  async function read(agentId: string, context?: object, configurable: object = {}) {
    const id = `${agentId}-${JSON.stringify([context, configurable])}`;
    const request = runRequest(`t-${id}`, `r-${id}`, {
      agentId,
      inputJson: '{}',
      configJson: JSON.stringify({ configurable }),
      ...(context && { contextJson: JSON.stringify(context) }),
    });
    const { end } = await guest.invoke(request);
    return end.error ?? (JSON.parse(end.outputJson) as unknown);
  }

  const warm = { tone: 'warm' };
  const odd = { tone: 'warm', odd: 1 };
  it.each([
    { agent: 'none', given: odd, seen: odd },
    { agent: 'zod4', given: odd, seen: warm },
    { agent: 'zod3', given: odd, seen: warm },
    { agent: 'factory', given: odd, seen: warm },
    // As under LangGraph's server: a schema of zod checks, and what it parsed is left aside.
    { agent: 'lenient', given: {}, seen: {} },
    { agent: 'lenient', given: undefined, seen: {} },
    { agent: 'annotation', given: odd, seen: odd },
  ])('$agent: $given is $seen, and found under configurable', async ({ agent, given, seen }) => {
    expect(await read(agent, given)).toEqual({ context: seen, shown: seen });
  });

  it.each(['zod4', 'zod3'])(
    '%s: a context that the schema refuses fails the run',
    async (agent) => {
      expect(await read(agent, { tone: 5 })).toMatchObject({
        code: 'agent_error',
        type: expect.stringMatching(/ZodError$/) as string,
        message: expect.stringContaining('xpected string') as string,
      });
      expect(await read(agent)).toMatchObject({ code: 'agent_error' });
    },
  );

  it('leaves configurable as it was', async () => {
    expect(await read('zod4', odd, odd)).toEqual({ context: warm, shown: odd });
  });

  it('has no keys of a checkpoint', async () => {
    const context = { checkpoint_id: 'c' };
    expect(await read('none', context)).toEqual({ context, shown: {} });
  });

  it('is described', async () => {
    const found = await guest.describe({ schemas: true });
    const schemas = found.map(({ agentId, contextSchemaJson: json }) => [
      agentId,
      json === ''
        ? undefined
        : Object.keys((JSON.parse(json) as { properties: object }).properties),
    ]);
    expect(Object.fromEntries(schemas)).toEqual({
      none: undefined,
      zod4: ['tone', 'n'],
      zod3: ['tone', 'n'],
      lenient: ['tone'],
      annotation: undefined,
      factory: ['tone', 'n'],
    });
  });
});
