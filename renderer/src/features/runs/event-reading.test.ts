import { expect, test } from 'vitest';
import { eventOf } from './event-fixture.ts';
import { createFilteredEvents, isRestart } from './event-filter.ts';
import { readEvent } from './event-reading.ts';
import { readQuestion } from '../../ui/questions/read-question.ts';
import { followSnippet, runSnippet } from './snippets.ts';
import { createTokenText } from './token-text.ts';
import {
  absoluteLocation,
  editorLink,
  firstLocation,
  readTraceback,
  tracebackParts,
} from '../../ui/traceback/read-traceback.ts';

test('an update shows its node and what it wrote', () => {
  expect(readEvent(eventOf({ type: 'updates', payload: { search: { docs: [1] } } }))).toEqual({
    node: 'search',
    preview: '{"docs":[1]}',
  });
});

test('a message shows its text and its node', () => {
  const payload = {
    message: { content: [{ text: 'The' }] },
    metadata: { langgraph_node: 'answer' },
  };
  expect(readEvent(eventOf({ type: 'messages', payload }))).toEqual({
    node: 'answer',
    preview: '"The"',
  });
});

test('tasks and calls read as sentences', () => {
  const fails = { event: 'end', name: 'fall', error: 'KeyError: x' };
  expect(readEvent(eventOf({ type: 'tasks', payload: fails }))).toEqual({
    node: 'fall',
    preview: 'fails KeyError: x',
    isFailure: true,
  });
  const end = {
    kind: 'tool',
    event: 'end',
    node: 'search',
    name: 'look_up',
    latency_ms: 12.4,
    output: 'x',
  };
  expect(readEvent(eventOf({ type: 'calls', payload: end })).preview).toBe(
    'tool look_up returns after 12 ms "x"',
  );
});

test('a dropped payload is reported', () => {
  expect(readEvent(eventOf({ data: '', isDropped: true })).preview).toContain('dropped');
});

test('a filter hides types, finds text in any case, and keeps marks and errors', () => {
  const filtered = createFilteredEvents({
    hiddenTypes: new Set(['values']),
    text: 'PAPER.',
    range: undefined,
  });
  const events = [
    eventOf({ seq: 0, type: 'values', payload: { a: 'paper.' } }),
    eventOf({ seq: 1, type: 'updates', payload: { a: 'Paper.' } }),
    eventOf({ seq: 2, type: 'updates', payload: { a: 'paperx' } }),
    eventOf({ seq: 3, type: 'reconnected' }),
    eventOf({ seq: 4, type: 'error', payload: { error: 'boom' } }),
    eventOf({ seq: 5, type: 'lifecycle', payload: { attempt: 2, last_failure: 'CRASH' } }),
  ];
  for (const event of events) filtered.take(event);
  expect(filtered.rows).toEqual([1, 3, 4, 5]);
  expect(Object.fromEntries(filtered.counts)).toEqual({
    values: 1,
    updates: 2,
    error: 1,
    lifecycle: 1,
  });
});

test('a range of time leaves only what happened in it', () => {
  const filtered = createFilteredEvents({
    hiddenTypes: new Set(),
    text: '',
    range: { from: 10, to: 20 },
  });
  for (const [seq, at] of [5, 10, 20, 25, undefined].entries()) filtered.take(eventOf({ seq, at }));
  expect(filtered.rows).toEqual([1, 2]);
});

test('only later attempts are restarts', () => {
  expect(isRestart(eventOf({ type: 'lifecycle', payload: { attempt: 1 } }))).toBe(false);
  expect(isRestart(eventOf({ type: 'lifecycle', payload: { attempt: 12 } }))).toBe(true);
});

test('tokens are joined, and a whole message replaces its pieces', () => {
  const text = createTokenText();
  const piece = (content: string, type = 'AIMessageChunk', id = 'm') =>
    eventOf({
      type: 'messages',
      payload: { message: { id, content, type }, metadata: { langgraph_node: 'answer' } },
    });
  for (const event of [piece('The '), piece('end'), piece('Hi', 'human', 'h')]) text.take(event);
  expect(text.messages().map((message) => [message.type, message.text, message.pieces])).toEqual([
    ['assistant', 'The end', 2],
    ['user', 'Hi', 1],
  ]);
  text.take(piece('The end.', 'ai'));
  expect(text.messages()[0]?.text).toBe('The end.');
});

test('a traceback links to the agent’s own line, not to a library’s', () => {
  const python = readTraceback(
    'Traceback (most recent call last):\n  File "/home/a b/agent.py", line 26, in decide\n    x\n  File "/v/site-packages/lib.py", line 3, in y\nKeyError: 1',
  );
  expect(
    tracebackParts(python).map(({ isForeign, frames, lines }) => [isForeign, frames, lines.length]),
  ).toEqual([
    [false, 1, 3],
    [true, 1, 1],
    [false, 0, 1],
  ]);
  const location = firstLocation(python);
  expect([location?.file, location?.line]).toEqual(['/home/a b/agent.py', 26]);
  expect(location && editorLink(location)).toBe('vscode://file/home/a%20b/agent.py:26');
  const javascript = readTraceback(
    'Error: x\n    at inner (/app/node_modules/l/x.js:1:2)\n    at run (file:///app/agent.ts:7:11)',
  );
  expect(firstLocation(javascript)).toMatchObject({ file: '/app/agent.ts', line: 7, column: 11 });
});

test('a question is read with its options and its other members', () => {
  expect(
    readQuestion({ question: 'Refund?', amount: 250, options: ['yes', { label: 'No', value: 0 }] }),
  ).toEqual({
    question: 'Refund?',
    options: [
      { label: 'yes', value: 'yes' },
      { label: 'No', value: 0 },
    ],
    details: [['amount', 250]],
  });
  expect(readQuestion('Go on?')).toEqual({ question: 'Go on?', options: [], details: [] });
  expect(readQuestion(7).details).toEqual([['value', 7]]);
});

test('snippets contain the whole request, quoted for their language', () => {
  const run = {
    address: 'http://127.0.0.1:8090',
    threadId: 'a:b',
    body: { input: { text: `it's "so"` } },
  };
  expect(runSnippet('curl', run)).toBe(
    `curl -s 'http://127.0.0.1:8090/threads/a%3Ab/runs' \\\n  -H 'content-type: application/json' \\\n  -d '{\n  "input": {\n    "text": "it'\\''s \\"so\\""\n  }\n}'`,
  );
  expect(runSnippet('python', { ...run, threadId: null, wait: '30s' })).toContain(
    '/runs/wait?wait=30s',
  );
  expect(runSnippet('javascript', run)).toContain(
    `await fetch("http://127.0.0.1:8090/threads/a%3Ab/runs"`,
  );
});

test('snippets are sent as the chosen principal, and with the token of the desktop', () => {
  const to = {
    address: 'http://127.0.0.1:8090',
    principal: `{"sub":"o'neil"}`,
    needsToken: true,
  };
  const run = { ...to, threadId: null, body: { agent_id: 'chat' } };
  expect(runSnippet('curl', run)).toContain(
    `-H 'x-test-principal: {"sub":"o'\\''neil"}' \\\n  -H "x-service-token: $SERVICE_TOKEN"`,
  );
  expect(runSnippet('python', run)).toContain(
    `"x-test-principal": "{\\"sub\\":\\"o'neil\\"}", "x-service-token": os.environ["SERVICE_TOKEN"]}`,
  );
  expect(runSnippet('javascript', run)).toContain('"x-service-token": process.env.SERVICE_TOKEN }');
  expect(followSnippet(to, 'r1')).toContain(`/runs/r1/stream' \\\n  -H 'x-test-principal:`);
});

test('a relative file is in the folder of the agents, and has no location while that is unknown', () => {
  const [line] = readTraceback('  File "agent.py", line 3, in <module>');
  const location = line?.location;
  expect(location && absoluteLocation(location, '/home/ada/desk')?.file).toBe(
    '/home/ada/desk/agent.py',
  );
  expect(location && absoluteLocation(location, undefined)).toBe(undefined);
});
