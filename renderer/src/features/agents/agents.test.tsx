import { act, screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, test } from 'vitest';
import { useBrowserPresets } from '../../api/presets/browser-presets.ts';
import { assistant, fakeAssistants } from '../../test/fake-assistants.ts';
import { failure, fakeService } from '../../test/fake-service.ts';
import { renderRoutes } from '../../test/render-page.tsx';
import { commitPending } from '../../ui/undo.tsx';
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
    'messages list of Message required',
  );
});

const agent = {
  'GET /agents': () => agents,
  'GET /agents/:name/graph': () => ({ agent_id: 'chat', nodes: [], edges: [] }),
};

test('lists the presets of an agent: its assistants, and what is in this browser', async () => {
  const preset = { service: window.location.origin, agentId: 'chat', name: 'Slow' };
  useBrowserPresets.setState({ presets: [{ ...preset, config: { tags: ['x'] }, context: {} }] });
  const config = { configurable: { model: 'small' }, max_concurrency: 3 };
  const fast = assistant('a-1', { name: 'Fast', description: 'For demos.', config, version: 4 });
  const { kept, handlers } = fakeAssistants([fast], 'chat');
  fakeService({ ...agent, ...handlers });
  const { router } = renderRoutes(routes, '/agents/chat?show=presets');
  const rows = async () => (await screen.findAllByRole('row')).slice(1);
  await waitFor(async () => expect(await rows()).toHaveLength(2));
  expect(screen.getByRole('tab', { name: 'Presets 2' })).toBeVisible();
  expect((await rows()).map(({ textContent }) => textContent)).toEqual([
    expect.stringMatching(/^FastFor demos\.configurable\.model, max_concurrency4.* ago$/),
    'Slow in this browsertags',
  ]);
  await userEvent.click(screen.getByRole('button', { name: 'Run with preset Fast' }));
  expect(router.state.location.search).toContain('preset=a-1');
  await userEvent.click(screen.getByRole('button', { name: 'Delete preset Fast' }));
  await waitFor(async () => expect(await rows()).toHaveLength(1));
  await act(() => commitPending());
  expect(kept).toEqual([]);
});

test('says where presets are kept, and what they are when there are none', async () => {
  let isThere = false;
  const { handlers } = fakeAssistants([], 'chat');
  const search = 'POST /compat/langgraph/assistants/search';
  fakeService({
    ...agent,
    ...handlers,
    [search]: (request) =>
      isThere ? handlers[search]?.(request) : failure(503, 'assistants_unavailable', 'No.'),
  });
  renderRoutes(routes, '/agents/chat?show=presets');
  const text = 'Kept in this browser: the service cannot read its assistants.';
  expect(await screen.findByText(text)).toBeVisible();
  expect(screen.getByText('No presets')).toBeVisible();
  isThere = true;
  await userEvent.click(screen.getByRole('button', { name: 'Check again' }));
  expect(await screen.findByText(/^Kept by the service as assistants/)).toBeVisible();
});

test('presets that could not be read are read again', async () => {
  fakeService({
    ...agent,
    'POST /compat/langgraph/assistants/search': () => failure(500, 'internal', 'Failed.'),
  });
  renderRoutes(routes, '/agents/chat?show=presets');
  expect(await screen.findByText('The presets could not be read')).toBeVisible();
  expect(screen.getByRole('button', { name: 'Try again' })).toBeVisible();
});
