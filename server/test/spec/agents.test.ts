// Specification, chapters "Agent" and "Endpoints: Agents".
import { describe, expect, it } from 'vitest';
import { specService } from '../fixtures/spec-service.ts';
import { aFailure } from '../fixtures/wire-patterns.ts';

const service = specService();

describe('agents', () => {
  it("are listed in the manifest's order", async () => {
    const { status, body } = await service.get('/agents');
    expect(status).toBe(200);
    const agents = body as { agent_id: string }[];
    expect(agents.map((agent) => agent.agent_id)).toEqual([
      'chat',
      'research',
      'approval',
      'article',
      'triage',
    ]);
    for (const agent of agents) {
      expect(agent).toMatchObject({
        name: agent.agent_id,
        description: expect.stringMatching(/\S/),
        capabilities: { supports_interrupt: true, supports_streaming: true },
      });
      expect(agent).not.toHaveProperty('metadata');
    }
  });

  it('are read by name', async () => {
    const { body } = await service.get('/agents');
    const [chat] = body as unknown[];
    const response = await service.get('/agents/chat');
    expect([response.status, response.body]).toEqual([200, chat]);
  });

  it('are found by their metadata, page by page', async () => {
    const { body } = await service.get('/agents');
    const all = body as unknown[];
    const found = async (search?: unknown): Promise<unknown> => {
      const response = await service.post('/agents/search', search);
      expect(response.status).toBe(200);
      return response.body;
    };
    expect(await found()).toEqual(all);
    expect(await found({ metadata: {}, limit: 2, offset: 1 })).toEqual(all.slice(1, 3));
    expect(await found({ metadata: { team: 'unknown' } })).toEqual([]);
  });

  it.each([
    ['research', { question: { type: 'string' } }, { report: { type: 'string' } }],
    ['triage', {}, {}],
  ])('return their schemas: %s', async (name, input, output) => {
    const { status, body } = await service.get(`/agents/${name}/schemas`);
    expect([status, body]).toMatchObject([
      200,
      {
        agent_id: name,
        name,
        description: expect.stringMatching(/\S/),
        input_schema: { type: 'object', properties: input },
        output_schema: { type: 'object', properties: output },
        state_schema: { type: 'object' },
        config_schema: { type: 'object' },
      },
    ]);
  });

  it('show their graph, also the inside of sub-graphs (extension)', async () => {
    const ids = async (path: string): Promise<string[]> => {
      const { status, body } = await service.get(path);
      expect(status).toBe(200);
      return (body as { nodes: { id: string }[] }).nodes.map(({ id }) => id);
    };
    expect(await ids('/agents/chat/graph')).toEqual(['__start__', 'reply', '__end__']);
    expect(await ids('/agents/triage/graph')).toEqual(expect.arrayContaining(['__start__']));
    const [outside, inside] = [
      await ids('/agents/article/graph'),
      await ids('/agents/article/graph?depth=1'),
    ];
    expect(outside).toContain('section');
    expect(inside.filter((id) => id.startsWith('section:')).length).toBeGreaterThan(1);
  });

  it.each(['', '/schemas', '/graph'])('respond with 404 for an unknown name%s', async (path) => {
    const response = await service.get(`/agents/missing${path}`);
    expect([response.status, response.body]).toEqual([404, aFailure('agent_not_found')]);
  });
});
