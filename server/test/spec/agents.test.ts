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
    const answer = await service.get('/agents/chat');
    expect([answer.status, answer.body]).toEqual([200, chat]);
  });

  it('answer 404 for an unknown name', async () => {
    const answer = await service.get('/agents/nobody');
    expect([answer.status, answer.body]).toEqual([404, aFailure('agent_not_found')]);
  });
});
