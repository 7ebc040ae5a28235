import { afterAll, beforeAll, expect, it } from 'vitest';
import { call } from '../../../test/fixtures/call.ts';
import { startHttpService, type HttpService } from '../../../test/fixtures/http-service.ts';
import { ServiceError } from '../../errors/service-error.ts';
import type { AgentId, ThreadId } from '../../model/ids.ts';
import { jsonText } from '../../model/json.ts';
import type { ServedAgent, AgentsPort } from '../../threads/ports.ts';

const all = Array.from({ length: 101 }, (_, index) => index);
const agents: ServedAgent[] = all.map((index) => ({
  agentId: `agent-${index}` as AgentId,
  name: `agent-${index}`,
  language: 'javascript',
  metadata: index === 0 ? { team: 'a', level: 2 } : {},
}));

let service: HttpService;
beforeAll(async () => {
  const resolve: AgentsPort['resolve'] = (agentId) => {
    const agent = agents.find((one) => one.agentId === (agentId ?? 'agent-0'));
    if (agent) return agent;
    throw new ServiceError('agent_not_found', `There is no agent ${agentId}.`);
  };
  const history = { maxCheckpointHistory: all.length };
  service = await startHttpService({ agents: { list: () => agents, resolve } }, history);
  const thread = 't' as ThreadId;
  await service.engine.threads.create(thread, {});
  for (const _ of all) await call(`${service.url}/threads/t/runs`, 'POST', {});
  const checkpoints = all.map((index) => ({ values: jsonText(`{"n":${index}}`) }));
  service.engine.saveCheckpoints(thread, checkpoints);
});
afterAll(() => service.close());

it.each([
  ['GET', '/threads/t/runs', undefined],
  ['GET', '/threads/t/history', undefined],
  ['POST', '/threads/t/history', {}],
  ['POST', '/agents/search', {}],
])('returns 100 of 101 without a limit: %s %s', async (method, path, body) => {
  const response = await call(service.url + path, method, body);
  expect([response.status, Array.isArray(response.body) && response.body.length]).toEqual([
    200, 100,
  ]);
});

it('shows the metadata of agents, and none where it is empty', async () => {
  const metadata = { team: 'a', level: 2 };
  const one = await call(`${service.url}/agents/agent-0`);
  expect(one.body).toMatchObject({ agent_id: 'agent-0', metadata });
  const listed = (await call(`${service.url}/agents`)).body;
  expect(listed).toMatchObject(agents.map(({ agentId }) => ({ agent_id: agentId })));
  expect(listed).toContainEqual(one.body);
  const found = await call(`${service.url}/agents/search`, 'POST', { metadata });
  expect(found.body).toEqual([one.body]);
  const bare = await call(`${service.url}/agents/agent-1`);
  expect(bare.body).not.toHaveProperty('metadata');
});
