import { act, screen, within } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { expect, test } from 'vitest';
import type { Run, TraceSpan } from '../../../api/generated/types.gen.ts';
import { failure, fakeService } from '../../../test/fake-service.ts';
import { renderRoutes } from '../../../test/render-page.tsx';
import { offeredCommands } from '../../../ui/commands.ts';
import { TraceTab } from './trace-tab.tsx';

const begun = Date.parse('2026-11-26T12:00:00.000Z');
const at = (ms: number): string => new Date(begun + ms).toISOString();
const run: Run = {
  run_id: 'desk_01a1ffd9-042e-7508-92d5-aa758258de62',
  thread_id: 'desk',
  status: 'completed',
  created_at: at(0),
  updated_at: at(1_000),
  metadata: {},
  agent_id: 'support',
  max_attempts: 3,
};

function span(id: string, from: number, ms: number | undefined, more: Partial<TraceSpan> = {}) {
  return {
    id,
    kind: 'node',
    name: id,
    status: ms === undefined ? 'running' : 'completed',
    attempt: 1,
    started_at: at(from),
    ...(ms !== undefined && { duration_ms: ms, ended_at: at(from + ms) }),
    ...more,
  } satisfies TraceSpan;
}

const model = span('call', 20, 800, {
  kind: 'model',
  name: 'ChatAtlas',
  model: 'atlas-large',
  parent_id: 'answer',
  node: 'answer',
  first_token_at: at(220),
  usage: { input_tokens: 1_204, output_tokens: 56 },
  cost: 0.0123,
  input: [[{ type: 'human', content: 'Where is my order?' }]],
  output: { type: 'ai', content: 'It was **shipped**.' },
  params: { temperature: 0.2 },
});
const spans = [
  span('attempt-1', 0, 1_000, { kind: 'attempt', name: 'Attempt 1' }),
  span('answer', 10, 900, { output: { text: 'done' } }),
  model,
  span('search', 830, 20, { kind: 'tool', parent_id: 'answer', input: 'A-17', output: 'found' }),
];

function openTrace(
  listed: readonly TraceSpan[] | (() => unknown),
  {
    about = {},
    search = '',
    streamed,
  }: { about?: Partial<Run>; search?: string; streamed?: () => Response } = {},
) {
  const shown = { ...run, ...about };
  const events: string[] = [];
  const service = fakeService({
    'GET /runs/:id/trace': () =>
      typeof listed === 'function'
        ? listed()
        : { run: { ...shown, ended_at: at(1_000), is_incomplete: false }, spans: listed },
    ...(streamed && { 'GET /runs/:id/trace/stream': streamed }),
    'GET /runs/:id/input': () => ({ kind: 'input', input: 'the whole question' }),
  });
  const tab = <TraceTab run={shown} stream={undefined} onEvents={() => events.push('asked')} />;
  const page = renderRoutes([{ path: '/run', element: tab }], `/run${search}`);
  return { ...service, ...page, events };
}
const detail = () => within(screen.getByRole('region', { name: 'Span' }));

test('a run opens on its attempt, with what it was given', async () => {
  openTrace(spans);
  const rows = await screen.findAllByRole('option');
  expect(rows.map(({ textContent }) => textContent)).toEqual([
    'Attempt 11.0 s',
    'answer900 ms',
    'ChatAtlasatlas-largeslow 800 ms',
    'search20 ms',
  ]);
  expect(detail().getByRole('heading', { name: 'Attempt 1' })).toBeVisible();
  expect(await detail().findByText('the whole question')).toBeVisible();
});

test('a model call shows its messages, tokens, cost, latency and first token', async () => {
  const { router } = openTrace(spans);
  await userEvent.click(await screen.findByText('ChatAtlas'));
  expect(router.state.location.search).toBe('?span=call');
  const facts = ['800 ms', '200 ms', '1,204', '56', '0.012', 'atlas-large'];
  for (const fact of facts) expect(detail().getByText(fact)).toBeVisible();
  expect(detail().getByText('Where is my order?')).toBeVisible();
  expect((await detail().findByText('shipped')).tagName).toBe('STRONG');
  expect(detail().getByRole('textbox', { name: 'Parameters' }).textContent).toContain('0.2');
});

test('a tool call shows its input and output as text', async () => {
  openTrace(spans, { search: '?span=search' });
  expect(await screen.findByText('A-17')).toBeVisible();
  expect(detail().getByText('found')).toBeVisible();
});

test('a failed run opens on the span that failed, with its traceback', async () => {
  const failed = { status: 'error', error: { type: 'KeyError', message: 'no pear' } } as const;
  openTrace(
    [
      span('attempt-1', 0, 100, { kind: 'attempt', name: 'Attempt 1', ...failed }),
      span('plan', 5, 20),
      span('price', 30, 60, failed),
      span('lookup', 40, 30, { kind: 'tool', parent_id: 'price', ...failed }),
    ],
    {
      about: {
        status: 'error',
        error: {
          code: 'agent_error',
          type: 'KeyError',
          node: 'price',
          message: 'no pear',
          traceback: 'Traceback (most recent call last):\nKeyError: no pear\n',
        },
      },
    },
  );
  expect(await screen.findByRole('region', { name: 'Span' })).toBeVisible();
  expect(detail().getByRole('heading', { name: 'lookup' })).toBeVisible();
  expect(detail().getByText(/^Traceback/)).toBeVisible();
  const selected = screen.getByRole('option', { selected: true });
  expect(within(selected).getByRole('img', { name: 'failed' })).toBeVisible();
});

test('keys move, and fold what is inside of a span', async () => {
  const { router } = openTrace(spans);
  await screen.findAllByRole('option');
  const down = (): void =>
    act(() =>
      offeredCommands()
        .find(({ keys }) => keys === 'j')
        ?.run({ navigate: () => undefined }),
    );
  down();
  expect(router.state.location.search).toBe('?span=answer');
  act(() => screen.getByRole('listbox', { name: 'Trace' }).focus());
  await userEvent.keyboard('{ArrowLeft}');
  expect(screen.getAllByRole('option')).toHaveLength(2);
  await userEvent.keyboard('{ArrowRight}');
  expect(screen.getAllByRole('option')).toHaveLength(4);
});

test('the trace of a running run grows while it is streamed', async () => {
  const { readable, writable } = new TransformStream<string, string>();
  const writer = writable.getWriter();
  const send = (ms: number | undefined): void => {
    const end = ms === undefined ? {} : { ended_at: at(ms) };
    const attempt = span('attempt-1', 0, ms, { kind: 'attempt' });
    const part = { run: { ...run, is_incomplete: false, ...end }, spans: [attempt] };
    void writer.write(`event: trace\ndata: ${JSON.stringify(part)}\n\n`);
  };
  const { requests } = openTrace(spans, {
    about: { status: 'running' },
    streamed: () => new Response(readable.pipeThrough(new TextEncoderStream())),
  });
  send(undefined);
  await screen.findAllByRole('option');
  expect(screen.queryByText('completed')).toBeNull();
  send(1_000);
  void writer.close();
  expect(await screen.findByText('completed')).toBeVisible();
  const reads = requests.filter(({ path }) => path.includes('/trace'));
  expect(reads.map(({ path }) => path)).toEqual([`/runs/${run.run_id}/trace/stream`]);
});

test('a thousand spans are a list of which only the visible rows are rendered', async () => {
  const many = Array.from({ length: 1_000 }, (_, index) => span(`node-${index}`, index, 5));
  openTrace([span('attempt-1', 0, 2_000, { kind: 'attempt' }), ...many]);
  const [first] = await screen.findAllByRole('option');
  expect(first?.getAttribute('aria-setsize')).toBe('1001');
  expect(screen.getAllByRole('option').length).toBeLessThan(60);
});

test('a run without a trace says why, and leads to its events', async () => {
  const { events } = openTrace(() => failure(404, 'run_not_found', 'There is no such run.'));
  expect(
    await screen.findByRole('heading', { name: 'No trace of this run is kept' }),
  ).toBeVisible();
  await userEvent.click(screen.getByRole('button', { name: 'Show the events' }));
  expect(events).toEqual(['asked']);
});

test('a history that is off names the setting', async () => {
  openTrace(() => failure(404, 'history_disabled', 'The run history is off.'));
  expect(await screen.findByRole('heading', { name: 'The run history is off' })).toBeVisible();
});
