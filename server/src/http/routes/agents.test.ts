import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { call } from '../../../test/fixtures/call.ts';
import type { HttpService } from '../../../test/fixtures/http-service.ts';
import { exampleAgents, startHttpService } from '../../../test/fixtures/http-service.ts';
import type { AgentId } from '../../model/ids.ts';
import type { ServedAgent, AgentsPort } from '../../threads/ports.ts';

describe('schemas and graph of an agent', () => {
  let service: HttpService;
  beforeAll(async () => {
    service = await startHttpService();
  });
  afterAll(() => service.close());

  it('are those of its guest; a schema that it has not is any object', async () => {
    const response = await call(`${service.url}/agents/echo/schemas`);
    expect([response.status, response.body]).toEqual([
      200,
      {
        agent_id: 'echo',
        name: 'echo',
        description: 'Echoes its input.',
        input_schema: { type: 'object', title: 'Input' },
        output_schema: { type: 'object', title: 'Output' },
        state_schema: { type: 'object' },
        config_schema: { type: 'object', title: 'Config' },
      },
    ]);
  });

  it('are drawn down to the depth that is asked for', async () => {
    const graph = (depth: number): unknown => ({
      agent_id: 'echo',
      nodes: [{ id: 'n', type: 'node', name: `depth ${depth}` }],
      edges: [],
    });
    expect((await call(`${service.url}/agents/echo/graph`)).body).toEqual(graph(0));
    expect((await call(`${service.url}/agents/echo/graph?depth=2`)).body).toEqual(graph(2));
    for (const depth of ['-1', '11', 'all', '']) {
      const response = await call(`${service.url}/agents/echo/graph?depth=${depth}`);
      expect([response.status, response.body]).toMatchObject([400, { code: 'invalid_request' }]);
    }
  });

  it.each(['schemas', 'graph'])('respond with 404 for an unknown agent (%s)', async (what) => {
    const response = await call(`${service.url}/agents/nobody/${what}`);
    expect([response.status, response.body]).toMatchObject([404, { code: 'agent_not_found' }]);
  });

  it.each(['schemas', 'graph'])(
    'respond with 409 when it could not be loaded (%s)',
    async (what) => {
      const response = await call(`${service.url}/agents/broken/${what}`);
      expect([response.status, response.body]).toMatchObject([
        409,
        {
          code: 'agent_not_loaded',
          message: 'The agent broken could not be loaded: No module named nowhere',
          metadata: {
            agent_id: 'broken',
            error: { code: 'agent_error', message: 'No module named nowhere' },
          },
        },
      ]);
    },
  );
});

describe('POST /agents/search', () => {
  const named = (name: string, metadata?: Record<string, unknown>): ServedAgent => {
    const agentId = name as AgentId;
    return { agentId, name, language: 'python', ...(metadata && { metadata }) };
  };
  const all = [
    named('a', { team: 'x', level: 1, tags: ['p', 'q'], limits: { low: 1, high: 2 } }),
    named('b'),
    named('c', { team: 'x', level: '1', none: null }),
  ];
  const agents: AgentsPort = { ...exampleAgents, list: () => all };
  let service: HttpService;
  beforeAll(async () => {
    service = await startHttpService({ agents });
  });
  afterAll(() => service.close());

  async function found(body?: unknown): Promise<string[]> {
    const response = await call(`${service.url}/agents/search`, 'POST', body);
    expect(response.status).toBe(200);
    return (response.body as { name: string }[]).map(({ name }) => name);
  }

  it("finds all in the manifest's order, without a body or a filter", async () => {
    expect(await found()).toEqual(['a', 'b', 'c']);
    expect(await found({})).toEqual(['a', 'b', 'c']);
    expect(await found({ metadata: {} })).toEqual(['a', 'b', 'c']);
  });

  it.each([
    [{ team: 'x' }, ['a', 'c']],
    [{ team: 'x', level: 1 }, ['a']],
    [{ level: '1' }, ['c']],
    [{ tags: ['p', 'q'] }, ['a']],
    [{ tags: ['p'] }, []],
    [{ limits: { high: 2, low: 1 } }, ['a']],
    [{ limits: { low: 1 } }, []],
    [{ none: null }, ['c']],
    [{ toString: null }, []],
  ])('compares members by their values: %j', async (metadata, names) => {
    expect(await found({ metadata })).toEqual(names);
  });

  it('returns page by page', async () => {
    const page = async (body: unknown): Promise<unknown> => {
      const { headers, body: items } = await call(`${service.url}/agents/search`, 'POST', body);
      const [total, next] = [headers.get('x-pagination-total'), headers.get('x-pagination-next')];
      return [(items as ServedAgent[]).map(({ name }) => name), total, next];
    };
    expect(await page({ limit: 2 })).toEqual([['a', 'b'], '3', '2']);
    expect(await page({ limit: 2, offset: 2 })).toEqual([['c'], '3', null]);
    expect(await page({ metadata: { team: 'x' }, limit: 1 })).toEqual([['a'], '2', '1']);
    expect(await page({ offset: 5 })).toEqual([[], '3', null]);
  });

  it.each([{ limit: 0 }, { limit: 1001 }, { limit: '1' }, { offset: -1 }, { metadata: [] }])(
    'refuses %j',
    async (body) => {
      const response = await call(`${service.url}/agents/search`, 'POST', body);
      expect([response.status, response.body]).toMatchObject([400, { code: 'invalid_request' }]);
    },
  );
});
