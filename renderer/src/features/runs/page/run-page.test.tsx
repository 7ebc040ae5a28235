import { act, cleanup, screen, waitFor, within } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { beforeEach, expect, test } from 'vitest';
import { fakeService } from '../../../test/fake-service.ts';
import { renderRoutes } from '../../../test/render-page.tsx';
import { offeredCommands } from '../../../ui/commands.ts';
import { Component as RunPage } from './run-page.tsx';
import { useSentRuns } from '../../../api/sent-runs.ts';
import { useWatchedRuns, watchRun } from '../../../api/watched-runs.ts';

beforeEach(() => useSentRuns.setState({ runs: [] }));
const service = window.location.origin;

const runId = 'desk_01a1ffd9-042e-7508-92d5-aa758258de62';
const run = {
  run_id: runId,
  thread_id: 'desk',
  status: 'completed',
  created_at: '2026-11-21T12:00:00.000Z',
  updated_at: '2026-11-21T12:00:01.700Z',
  metadata: {},
  agent_id: 'triage',
  max_attempts: 3,
};

const ts = (ms: number): string => new Date(Date.parse(run.created_at) + ms).toISOString();
const task = (event: string, name: string, ms: number, more: object = {}) => ({
  event,
  id: name,
  name,
  ts: ts(ms),
  ...more,
});

/** A stream that has these events, and stays open unless they end it. */
function stream(events: readonly [name: string, data: unknown][]) {
  let push: (name: string, data: unknown) => void = () => undefined;
  let id = 0;
  const encoder = new TextEncoder();
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      push = (name, data) => {
        id += 1;
        const text = `id: ${id}\nevent: ${name}\ndata: ${JSON.stringify(data)}\n\n`;
        controller.enqueue(encoder.encode(text));
      };
      for (const [name, data] of events) push(name, data);
    },
  });
  const respond = (): Response =>
    new Response(body, { headers: { 'Content-Type': 'text/event-stream' } });
  return { respond, push: (name: string, data: unknown) => push(name, data) };
}

function openRun(
  about: object,
  events: readonly [name: string, data: unknown][],
  handlers: Parameters<typeof fakeService>[0] = {},
  search = '',
) {
  const live = stream(events);
  const service = fakeService({
    'GET /threads/:id/runs/:run': () => ({ ...run, ...about }),
    'GET /threads/:id/runs/:run/stream': live.respond,
    'GET /threads/:id/runs': () => [{ ...run, ...about }],
    'GET /agents': () => [{ agent_id: 'triage', name: 'triage', capabilities: {} }],
    'GET /info': () => ({ version: '0.1.0' }),
    ...handlers,
  });
  const members = new URLSearchParams(search);
  // These tests are about the events; the trace has its own.
  if (!members.has('view')) members.set('view', 'events');
  const page = renderRoutes(
    [{ path: '/threads/:threadId/runs/:runId', element: <RunPage /> }],
    `/threads/desk/runs/${runId}?${members.toString()}`,
  );
  return { ...service, ...page, push: live.push };
}

test('a run that is seen to end is watched no longer, so that no notice comes when its page is left', async () => {
  const about = { status: 'running' };
  watchRun(run);
  const { push } = openRun(about, [['metadata', { run_id: runId, attempt: 1 }]]);
  await screen.findByRole('article', { name: /^Run / });
  expect(useWatchedRuns.getState().runs).toHaveLength(1);
  about.status = 'completed';
  act(() => push('end', {}));
  await waitFor(() => expect(useWatchedRuns.getState().runs).toEqual([]));
});

const failed = {
  status: 'error',
  attempt: 2,
  last_failure: 'CRASH',
  error: {
    code: 'agent_error',
    message: "'pear'",
    type: 'KeyError',
    node: 'price',
    traceback:
      'Traceback (most recent call last):\n  File "/agents/shop.py", line 35, in price_of\n    return prices[item]\nKeyError: \'pear\'\n',
  },
};

test('a run in a sandbox shows which, and its usage; a plain process is not shown', async () => {
  const used = { memory_bytes: 182 * 2 ** 20, cpu_seconds: 0.421 };
  const limits = {
    memory_bytes: 512 * 2 ** 20,
    cpus: 0.5,
    pids: 1024,
    open_files: 16384,
    tmp_bytes: 1,
  };
  openRun({ sandbox: { kind: 'docker', shared: true, limits, used } }, []);
  const shown = await screen.findByText('docker · 182 MiB');
  expect(shown.dataset['tip']).toBe(
    'Ran in a Docker container, shared with other runs; figures include them. Memory: 182 MiB of 512 MiB. CPU time: 0.42 s. CPU limit: 0.5.',
  );
  expect(shown.tabIndex).toBe(0);
  cleanup();
  openRun({ sandbox: { kind: 'none', shared: true, used } }, []);
  await screen.findByText('triage');
  expect(screen.queryByText(/182 MiB/)).toBeNull();
});

test('a failed run shows at once what failed and where, and links to the line in the editor', async () => {
  openRun(failed, [
    ['lifecycle', { attempt: 1, last_failure: null, ts: ts(0) }],
    ['tasks', task('start', 'prepare', 10)],
    ['lifecycle', { attempt: 2, last_failure: 'CRASH', ts: ts(400) }],
    ['tasks', task('start', 'price', 500)],
    ['tasks', task('end', 'price', 700, { error: "KeyError: 'pear'" })],
    ['error', { error: "'pear'", code: 'agent_error' }],
  ]);
  const alert = await screen.findByRole('alert');
  expect(alert.textContent).toContain("KeyErrorin price'pear'shop.py:35");
  const link = within(alert).getByRole('link', { name: 'shop.py:35' });
  expect(link.getAttribute('href')).toBe('vscode://file/agents/shop.py:35');
  expect(screen.getByText(/attempt 2 of 4/)).toBeVisible();
  // The list: a band for the restart, the error last, open with its traceback.
  const list = await screen.findByRole('listbox', { name: 'Events' });
  expect(
    await within(list).findByText(/Attempt 2 of 4 · CRASH, .* · resumed at step 2, price/),
  ).toBeVisible();
  expect((await screen.findByLabelText('Traceback')).textContent).toContain('return prices[item]');
  // The waterfall: what the crash cut off, and what failed.
  expect(
    await screen.findByRole('button', { name: /^price, failed, 200 ms: KeyError/ }),
  ).toBeVisible();
  expect(screen.getByRole('button', { name: /^prepare, cut off, 390 ms/ })).toBeVisible();
});

test('a run that failed before its first node is not retried, since continuing would run nothing', async () => {
  openRun({ ...failed, error: { ...failed.error, node: '__start__' } }, []);
  await screen.findByRole('alert');
  expect(screen.getByRole('button', { name: /From first checkpoint/ })).toBeVisible();
  expect(screen.queryByRole('button', { name: /Retry/ })).toBeNull();
});

test('the snippet of a run that was not sent from here states that it lacks the input', async () => {
  openRun(failed, []);
  await userEvent.click(await screen.findByRole('button', { name: 'Copy as' }));
  expect(await screen.findByText(/^Its input is not recorded/)).toBeVisible();
});

test('the context of a run is in its record, and in the snippet of one that was not sent from here', async () => {
  const user = userEvent.setup(); // with a clipboard
  openRun({ context: { tone: 'warm' } }, [], {}, '?view=record');
  await waitFor(() => expect(screen.getByText(/"tone"/)).toBeVisible());
  await user.click(screen.getByRole('button', { name: 'Copy as' }));
  await user.click(await screen.findByRole('menuitem', { name: 'cURL' }));
  expect(await navigator.clipboard.readText()).toContain('"tone": "warm"');
});

test('an event opens next to the list; types and text filter it', async () => {
  const { router } = openRun({}, [
    ['values', { mood: 'good' }],
    ['updates', { classify: { category: 'billing' } }],
    ['done', {}],
  ]);
  const row = await screen.findByText('{"category":"billing"}');
  await userEvent.click(row);
  expect(await screen.findByRole('region', { name: 'Payload' })).toBeVisible();
  expect(router.state.location.search).toBe('?view=events&event=2');
  await userEvent.click(screen.getByRole('button', { name: /^values 1/ }));
  await waitFor(() => expect(screen.queryByText('{"mood":"good"}')).toBeNull());
  await userEvent.type(screen.getByLabelText('Filter events by text'), 'nowhere');
  expect(await screen.findByText('No matching events.')).toBeVisible();
});

test('the filter of the events and the view of a payload are in the URL', async () => {
  const events: [string, unknown][] = [
    ['values', { mood: 'good' }],
    ['values', { mood: 'better' }],
    ['updates', { classify: { category: 'billing' } }],
    ['done', {}],
  ];
  const search = '?find=BETTER&hide=updates&event=2&payload=diff';
  const { router } = openRun({}, events, {}, search);
  expect(await screen.findByText('{"mood":"better"}')).toBeVisible();
  expect(screen.queryByText('{"mood":"good"}')).toBeNull();
  expect(screen.queryByText('{"category":"billing"}')).toBeNull();
  expect(screen.getByRole('tab', { name: 'Diff' }).getAttribute('aria-selected')).toBe('true');
  await userEvent.clear(screen.getByLabelText('Filter events by text'));
  await userEvent.click(await screen.findByRole('button', { name: /^updates 1/ }));
  await userEvent.click(screen.getByRole('tab', { name: 'JSON' }));
  expect(router.state.location.search).toBe('?event=2&view=events');
});

test('what an agent wrote at the end of its run is read when the run is over', async () => {
  const state = { status: 'running' };
  const begun = { id: 1, ts: ts(0), stream: 'stdout', text: 'it begins', attempt: 1 };
  const lines = [begun];
  const handlers = {
    'GET /threads/:id/runs/:run': () => {
      // Only now: no look before the end has it.
      if (state.status === 'completed') lines[1] = { ...begun, id: 2, text: 'it ends' };
      return { ...run, ...state };
    },
    'GET /threads/:id/runs/:run/logs': ({ query }: { query: URLSearchParams }) => {
      const known = Number(query.get('after'));
      return { lines: lines.filter(({ id }) => id > known), dropped: 0 };
    },
  };
  const { push } = openRun(state, [], handlers, 'view=logs');
  expect(await screen.findByText('it begins')).toBeVisible();
  state.status = 'completed';
  push('done', {});
  expect(await screen.findByText('it ends')).toBeVisible();
});

test('the arrow keys move through the parts of a run', async () => {
  const { router } = openRun({ output: { category: 'billing' } }, [['done', {}]]);
  (await screen.findByRole('tab', { name: 'Events' })).focus();
  await userEvent.keyboard('{End}{ArrowLeft}');
  expect(screen.getByRole('tab', { selected: true }).textContent).toBe('Logs');
  expect(router.state.location.search).toBe('?view=logs');
});

test('a run that was cancelled is continued: it did not fail', async () => {
  openRun({ status: 'cancelled' }, [['done', {}]]);
  expect(
    await screen.findByRole('button', { name: 'Continue from where it stopped' }),
  ).toBeVisible();
  expect(screen.queryByRole('button', { name: /Retry/ })).toBeNull();
});

test('p pauses: new events are counted and shown afterwards', async () => {
  const { push } = openRun({ status: 'running' }, [['custom', { n: 1 }]]);
  await screen.findByText('{"n":1}');
  act(() =>
    offeredCommands()
      .find(({ keys }) => keys === 'p')
      ?.run({ navigate: () => undefined }),
  );
  push('custom', { n: 2 });
  push('custom', { n: 3 });
  expect(await screen.findByText('2 waiting')).toBeVisible();
  expect(screen.queryByText('{"n":2}')).toBeNull();
  await userEvent.click(screen.getByRole('button', { name: 'Resume (p)' }));
  expect(await screen.findByText('{"n":3}')).toBeVisible();
});

test('tokens are one text while they arrive', async () => {
  const { push } = openRun({ status: 'running' }, []);
  await userEvent.click(await screen.findByRole('tab', { name: 'Text' }));
  const piece = (content: string) => ({
    message: { id: 'm', type: 'AIMessageChunk', content },
    metadata: { langgraph_node: 'answer' },
  });
  push('messages', piece('The par'));
  push('messages', piece('cel is on its way.'));
  expect(await screen.findByText('The parcel is on its way.')).toBeVisible();
});

const asking = {
  status: 'interrupted',
  output: {
    __interrupt__: [
      { id: 'q1', value: { question: 'Refund 250.00?', options: ['yes', 'no'], order: 'A-17' } },
    ],
  },
};
const head = (interrupts: unknown[]) => ({
  thread_id: 'desk',
  values: {},
  interrupts,
  checkpoint: { thread_id: 'desk', checkpoint_ns: '', checkpoint_id: 'checkpoint-1' },
});

test('a question is answered with its options, and the answer is a new run', async () => {
  const next = { ...run, run_id: 'desk_01a1ffd9-042e-7508-92d5-000000000002', status: 'running' };
  const { requests, router } = openRun(asking, [['done', {}]], {
    'POST /threads/:id/state/checkpoint': () => head([{ id: 'q1', value: {} }]),
    'POST /threads/:id/runs': () => next,
  });
  expect(await screen.findByText('Refund 250.00?')).toBeVisible();
  expect(screen.getByText('A-17')).toBeVisible();
  expect(screen.getByTitle('checkpoint-1')).toBeVisible();
  const resume = screen.getByRole('button', { name: 'Resume' });
  expect(resume.hasAttribute('disabled')).toBe(true);
  await userEvent.click(screen.getByRole('radio', { name: 'yes' }));
  await userEvent.click(resume);
  await waitFor(() =>
    expect(router.state.location.pathname).toContain('01a1ffd9-042e-7508-92d5-000000000002'),
  );
  const sent = requests.find(({ method, path }) => method === 'POST' && path.endsWith('/runs'));
  expect(sent?.body).toMatchObject({ agent_id: 'triage', command: { resume: 'yes' } });
});

test('a question that has been answered is not asked again', async () => {
  openRun(asking, [['done', {}]], { 'POST /threads/:id/state/checkpoint': () => head([]) });
  expect(await screen.findByText(/has been answered/)).toBeVisible();
  expect(screen.queryByRole('button', { name: 'Resume' })).toBeNull();
});

test('a question that yes and no do not answer is answered with text', async () => {
  const output = { __interrupt__: [{ id: 'q1', value: 'What is your name?' }] };
  openRun({ status: 'interrupted', output }, [['done', {}]], {
    'POST /threads/:id/state/checkpoint': () => head([{ id: 'q1', value: '' }]),
  });
  await userEvent.type(await screen.findByLabelText('Answer as text'), 'Ada');
  expect(screen.getByRole('button', { name: 'Resume' }).hasAttribute('disabled')).toBe(false);
});

test('an answer as JSON is complete once it was entered', async () => {
  const { requests } = openRun(asking, [['done', {}]], {
    'POST /threads/:id/state/checkpoint': () => head([{ id: 'q1', value: {} }]),
    'POST /threads/:id/runs': () => run,
  });
  await userEvent.click(await screen.findByRole('radio', { name: 'JSON' }));
  const resume = screen.getByRole('button', { name: 'Resume' });
  expect(resume.hasAttribute('disabled')).toBe(true);
  await userEvent.click(screen.getByRole('textbox', { name: 'Answer as JSON' }));
  await userEvent.paste('{}');
  await waitFor(() => expect(resume.hasAttribute('disabled')).toBe(false));
  await userEvent.click(resume);
  await waitFor(() =>
    expect(requests.some(({ method, path }) => method === 'POST' && path.endsWith('/runs'))).toBe(
      true,
    ),
  );
});

test('only the newest run of a thread continues from its breakpoint', async () => {
  const stopped = { status: 'interrupted', output: {} };
  const next = { ...run, run_id: 'desk_01a1ffd9-042e-7508-92d5-000000000002' };
  openRun(stopped, [['done', {}]], {
    'POST /threads/:id/state/checkpoint': () => head([]),
    'GET /threads/:id/runs': () => [next, { ...run, ...stopped }],
  });
  expect(await screen.findByText(/the thread has continued since/)).toBeVisible();
  expect(screen.queryByRole('button', { name: 'Continue' })).toBeNull();
});

test('re-run sends what was sent from here', async () => {
  const body = { agent_id: 'triage', input: { ticket: 'My invoice' } };
  useSentRuns.setState({
    runs: [{ runId, threadId: 'desk', service, isStateless: false, sentAt: 0, body }],
  });
  const { requests } = openRun({}, [['done', {}]], {
    'POST /threads/:id/runs': () => ({ ...run, run_id: `${runId.slice(0, -1)}3` }),
  });
  await userEvent.click(await screen.findByRole('button', { name: 'Re-run' }));
  await waitFor(() => expect(requests.some(({ method }) => method === 'POST')).toBe(true));
  expect(requests.find(({ method }) => method === 'POST')?.body).toEqual(body);
});

test('for a finished run whose events were deleted the page shows that', async () => {
  openRun({ output: { category: 'billing' } }, [['done', {}]], {
    'GET /threads/:id/runs/:run/stream': () =>
      new Response(
        ': gap\n\nid: 0\nevent: values\ndata: {"a":1}\n\nid: 1\nevent: done\ndata: {}\n\n',
        {
          headers: { 'Content-Type': 'text/event-stream' },
        },
      ),
  });
  expect(await screen.findByText(/Earlier events are no longer kept/)).toBeVisible();
  expect(await screen.findByText(/^No times of nodes: the events .* no longer kept/)).toBeVisible();
});
