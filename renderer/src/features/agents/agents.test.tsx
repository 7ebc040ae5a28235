import { screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, test } from 'vitest';
import { fakeService } from '../../test/fake-service.ts';
import { renderRoutes } from '../../test/render-page.tsx';
import { routes } from './index.ts';
// Pages are loaded with their first visit; here before a test's time limit starts.
import './agent-page.tsx';
import './page.tsx';

const capabilities = { supports_interrupt: true, supports_streaming: true };
const agents = [
  { agent_id: 'chat', name: 'chat', description: 'Answers messages.', capabilities },
  {
    agent_id: 'broken',
    name: 'broken',
    capabilities,
    error: {
      code: 'agent_not_loaded',
      message: "No module named 'missing'",
      traceback: 'File "agent.py", line 3\n    import missing',
    },
  },
];

test('lists the agents, the first one as default, and opens it', async () => {
  fakeService({
    'GET /agents': () => agents,
    'GET /agents/:name/graph': () => ({ agent_id: 'chat', nodes: [], edges: [] }),
  });
  const { router } = renderRoutes(routes, '/agents');
  const rows = await screen.findAllByRole('option');
  expect(rows.map((row) => row.textContent)).toEqual([
    'chatdefaultAnswers messages.',
    "broken not loadedNo module named 'missing'",
  ]);
  expect(await screen.findByRole('heading', { name: 'chat' })).toBeVisible();
  expect(router.state.location.pathname).toBe('/agents/chat');
});

test('shows how often each node ran, how long, and how often it failed', async () => {
  const asked: string[] = [];
  fakeService({
    'GET /agents': () => agents,
    'GET /agents/:name/graph': () => ({
      agent_id: 'chat',
      nodes: [{ id: 'answer', type: 'node', name: 'answer' }],
      edges: [],
    }),
    'GET /stats/nodes': ({ query }) => {
      asked.push(query.get('agent_id') ?? '');
      return {
        ...{ runs: 500, is_capped: true },
        nodes: [{ node: 'answer', runs: 500, calls: 501, errors: 1, p50_ms: 20, p95_ms: 90 }],
      };
    },
  });
  renderRoutes(routes, '/agents/chat');
  expect(await screen.findByText('501 calls, p50 20 ms, p95 90 ms, 1 failed')).toBeVisible();
  expect(screen.getByText('newest 500 runs')).toBeVisible();
  expect(asked).toContain('chat');
  await userEvent.selectOptions(screen.getByLabelText('Figures'), 'No figures');
  expect(screen.queryByText(/501 calls/)).toBeNull();
});

test('what has no effect in the manifest is shown on request', async () => {
  const note = 'langgraph.json: http.cors: not used';
  fakeService({
    'GET /agents': () => agents,
    'GET /agents/:name/graph': () => ({ agent_id: 'chat', nodes: [], edges: [] }),
    'GET /info': () => ({ version: '1', manifest_warnings: [note] }),
  });
  renderRoutes(routes, '/agents');
  await userEvent.click(await screen.findByRole('button', { name: 'Show the agents' }));
  const summary = await screen.findByText('1 note on the manifest');
  expect(screen.getByText(note)).not.toBeVisible();
  await userEvent.click(summary);
  expect(screen.getByText(note)).toBeVisible();
});

test('an agent that could not be loaded shows the reason, with its traceback', async () => {
  fakeService({ 'GET /agents': () => agents });
  renderRoutes(routes, '/agents/broken');
  expect(await screen.findByLabelText('Traceback')).toBeVisible();
  expect(screen.getByText('This agent could not be loaded')).toBeVisible();
});

test('shows the keys of its schemas', async () => {
  fakeService({
    'GET /agents': () => agents,
    'GET /agents/:name/graph': () => ({ agent_id: 'chat', nodes: [], edges: [] }),
    'GET /agents/:name/schemas': () => ({
      agent_id: 'chat',
      name: 'chat',
      input_schema: {
        properties: { messages: { type: 'array', items: { $ref: '#/$defs/Message' } } },
        required: ['messages'],
      },
      output_schema: { type: 'object' },
    }),
  });
  renderRoutes(routes, '/agents/chat');
  await userEvent.click(await screen.findByRole('tab', { name: 'Schemas' }));
  expect((await screen.findAllByRole('listitem'))[0]?.textContent).toBe(
    'messages list of Messagerequired',
  );
});
