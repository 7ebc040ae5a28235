import { afterEach, expect, it } from 'vitest';
import {
  exampleAgents,
  type HttpService,
  startHttpService,
} from '../../../test/fixtures/http-service.ts';
import type { AgentLanguage } from '../../agents/agent.ts';

let service: HttpService | undefined;
afterEach(() => service?.close());

async function startWith(...languages: AgentLanguage[]): Promise<string> {
  const echo = exampleAgents.resolve('echo');
  const agents = languages.map((language) => ({ ...echo, language }));
  service = await startHttpService({ agents: { list: () => agents, resolve: () => echo } });
  return service.url;
}

const id = '00000000-0000-4000-8000-000000000000';
const base = '/compat/langgraph';

it.each([
  [`${base}/assistants/${id}`, 'Assistant not found'],
  [`${base}/threads/${id}`, `Thread with ID ${id} not found`],
  [`${base}/threads/${id}?x=1`, `Thread with ID ${id} not found`],
])('%s is a text where all agents are in JavaScript', async (path, text) => {
  const response = await fetch(`${await startWith('javascript', 'javascript')}${path}`);
  expect([response.status, await response.text()]).toEqual([404, text]);
  expect(response.headers.get('content-type')).toMatch(/^text\/plain/);
});

it('other errors, our own API and services with Python have the body of every error', async () => {
  const javascript = await startWith('javascript');
  const asked = { method: 'POST', headers: { 'content-type': 'application/json' }, body: '[]' };
  const wrong = await fetch(`${javascript}${base}/threads`, asked);
  expect([wrong.status, await wrong.json()]).toMatchObject([422, { code: 'invalid_request' }]);
  const own = await fetch(`${javascript}/threads/${id}`);
  expect(await own.json()).toMatchObject({ code: 'thread_not_found' });
  await service?.close();
  const mixed = await fetch(`${await startWith('javascript', 'python')}${base}/threads/${id}`);
  expect([mixed.status, await mixed.json()]).toMatchObject([404, { code: 'thread_not_found' }]);
});
