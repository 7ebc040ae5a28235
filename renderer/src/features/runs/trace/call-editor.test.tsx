import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { beforeEach, expect, test } from 'vitest';
import type { Run, TraceSpan } from '../../../api/generated/types.gen.ts';
import { failure, fakeService, type FakeRequest } from '../../../test/fake-service.ts';
import { renderPart } from '../../../test/render-page.tsx';
import { useCallDrafts } from './call-drafts.ts';
import { SpanDetail } from './span-detail.tsx';

const time = '2026-11-26T12:00:00.000Z';
const run: Run = {
  run_id: 'desk_01a1ffd9-042e-7508-92d5-aa758258de62',
  thread_id: 'desk',
  status: 'completed',
  created_at: time,
  updated_at: time,
  metadata: {},
  agent_id: 'support',
  max_attempts: 3,
};
const calling = {
  type: 'ai',
  content: '',
  tool_calls: [{ id: 'c1', name: 'look_up', args: { order: 7 } }],
};
const span: TraceSpan = {
  id: 'call',
  kind: 'model',
  name: 'ChatAtlas',
  status: 'completed',
  attempt: 1,
  started_at: time,
  duration_ms: 800,
  model: 'atlas-large',
  usage: { input_tokens: 1_204, output_tokens: 56 },
  input: [[{ type: 'human', content: 'Where is my order?', id: 'm1' }, calling]],
  output: { type: 'ai', content: 'It was shipped.' },
  params: { temperature: 0.2 },
};
const result = {
  output: { type: 'ai', content: 'It is **here**.' },
  usage: { input_tokens: 30, output_tokens: 4 },
  latency_ms: 120,
  model: 'atlas-large',
};

beforeEach(() => useCallDrafts.setState({ calls: new Map() }));

async function openEditor(respond: (request: FakeRequest) => unknown, shown = span) {
  const service = fakeService({ 'POST /runs/:id/calls': respond });
  renderPart(<SpanDetail span={shown} run={run} isFailing={false} />);
  await userEvent.click(screen.getByRole('button', { name: 'Edit and call again' }));
  return { ...service, form: screen.getByRole('form', { name: 'Edit and call again' }) };
}
const text = (position: number) =>
  screen.getByRole<HTMLTextAreaElement>('textbox', { name: `Text of message ${position}` });
const call = () => screen.getByRole('button', { name: 'Call' });

test('a changed prompt is sent, and the new response is beside the recorded one', async () => {
  const { requests } = await openEditor(() => result);
  expect(document.activeElement).toBe(text(1));
  await userEvent.clear(text(1));
  await userEvent.type(text(1), 'Where is it?');
  // A message without a plain text is edited as JSON.
  expect(screen.getByRole('textbox', { name: 'Message 2 as JSON' }).textContent).toContain('"ai"');
  await userEvent.click(screen.getByRole('button', { name: 'Message' }));
  await userEvent.type(text(3), 'Be brief.');
  await userEvent.click(call());

  const fresh = within(await screen.findByRole('region', { name: 'New response' }));
  expect((await fresh.findByText('here')).tagName).toBe('STRONG');
  for (const fact of ['120 ms', '30', '4']) expect(fresh.getByText(fact)).toBeVisible();
  const recorded = within(screen.getByRole('region', { name: 'Recorded response' }));
  for (const fact of ['800 ms', '1,204', '56']) expect(recorded.getByText(fact)).toBeVisible();
  expect(recorded.getByText('It was shipped.')).toBeVisible();
  expect(screen.getByText('Responded in 120 ms')).toBeVisible();
  expect(requests.map(({ path, body }) => [path, body])).toEqual([
    [
      `/runs/${run.run_id}/calls`,
      {
        span_id: 'call',
        messages: [
          { type: 'human', content: 'Where is it?', id: 'm1' },
          calling,
          { type: 'human', content: 'Be brief.' },
        ],
        params: { temperature: 0.2 },
      },
    ],
  ]);
});

test('a key that is held starts one call, which can be cancelled', async () => {
  let asked = 0;
  await openEditor(() => {
    asked += 1;
    return new Promise(() => undefined);
  });
  for (const repeat of [false, true, true, false])
    fireEvent.keyDown(text(1), { key: 'Enter', ctrlKey: true, repeat });
  expect(await screen.findByText(/^Waiting for the model/)).toBeVisible();
  await waitFor(() => expect(asked).toBe(1));
  await userEvent.click(screen.getByRole('button', { name: 'Cancel' }));
  expect(await screen.findByText('Cancelled')).toBeVisible();
  expect(asked).toBe(1);
});

test('a failure is shown where it happened, and the draft stays', async () => {
  await openEditor(() => failure(502, 'model_failed', 'The model failed: no credit left.'));
  await userEvent.type(text(1), ' Please.');
  await userEvent.click(call());
  expect(await screen.findByText('The model failed: no credit left.')).toBeVisible();
  expect(text(1).value).toBe('Where is my order? Please.');
});

test('a draft is there again after the span was left, and can be reset', async () => {
  fakeService({});
  const other = { ...span, id: 'other' };
  function open(shown: TraceSpan) {
    document.body.replaceChildren();
    renderPart(<SpanDetail key={shown.id} span={shown} run={run} isFailing={false} />);
  }
  open(span);
  await userEvent.click(screen.getByRole('button', { name: 'Edit and call again' }));
  await userEvent.type(text(1), ' Today?');
  open(other);
  expect(screen.queryByRole('form')).toBeNull();
  open(span);
  expect(text(1).value).toBe('Where is my order? Today?');
  await userEvent.click(screen.getByRole('button', { name: 'Close' }));
  await userEvent.click(screen.getByRole('button', { name: 'Edit and call again' }));
  expect(text(1).value).toBe('Where is my order? Today?');
  await userEvent.click(screen.getByRole('button', { name: 'Reset' }));
  expect(text(1).value).toBe('Where is my order?');
});

test('roles change what is sent, and a result of a tool is written as JSON', async () => {
  const { requests } = await openEditor(() => result);
  await userEvent.click(screen.getByRole('button', { name: 'Remove message 2' }));
  await userEvent.click(screen.getByLabelText('Role of message 1', { selector: 'input' }));
  await userEvent.click(await screen.findByRole('option', { name: 'system' }));
  await userEvent.click(call());
  await screen.findByRole('region', { name: 'New response' });
  expect(requests[0]?.body).toMatchObject({
    messages: [{ type: 'system', content: 'Where is my order?' }],
  });
  await userEvent.click(screen.getByLabelText('Role of message 1', { selector: 'input' }));
  await userEvent.click(await screen.findByRole('option', { name: 'tool' }));
  expect(screen.getByRole('textbox', { name: 'Message 1 as JSON' })).toBeVisible();
  await userEvent.click(call());
  await waitFor(() => expect(requests).toHaveLength(2));
  expect(requests[1]?.body).toMatchObject({
    messages: [{ type: 'tool', content: 'Where is my order?', tool_call_id: '' }],
  });
});

test('without messages nothing is sent', async () => {
  const { requests } = await openEditor(() => result, { ...span, input: [[calling]] });
  await userEvent.click(screen.getByRole('button', { name: 'Remove message 1' }));
  await userEvent.click(call());
  expect(screen.getByText('A call needs a message.')).toBeVisible();
  expect(requests).toEqual([]);
});

test('what is not recorded has to be entered', async () => {
  const cut = { truncated: true, bytes: 90_000, preview: '[{' };
  await openEditor(() => result, { ...span, input: cut });
  expect(screen.getByText(/too large to be recorded whole/)).toBeVisible();
  expect(text(1).value).toBe('');
});

test('neither tools nor models that take a text have the editor', () => {
  fakeService({});
  renderPart(<SpanDetail span={{ ...span, kind: 'tool' }} run={run} isFailing={false} />);
  renderPart(<SpanDetail span={{ ...span, input: 'Where?' }} run={run} isFailing={false} />);
  expect(screen.queryByRole('button', { name: 'Edit and call again' })).toBeNull();
});
