// The agents of agents/python, and what each is asked.
import type { Recording } from './recording.ts';
import { newThread, type Scenario } from './scenario.ts';

const human = (content: unknown) => ({ messages: [{ role: 'user', content }] });
const picture = { type: 'image_url', image_url: { url: 'data:image/png;base64,iVBORw0KGgo=' } };
const sum = 'use add {"a": 1, "b": 2}';

export const pythonScenarios: readonly Scenario[] = [
  { graph: 'chat', input: human('Hello there'), second: human('And again') },
  { graph: 'chat_async', input: human([{ type: 'text', text: 'What is it?' }, picture]) },
  {
    graph: 'tools',
    input: human(sum),
    async more(recording) {
      const thread = await newThread(recording);
      await recording.call('tool that fails', 'POST', `${thread}/runs/wait`, {
        assistant_id: 'tools',
        input: human('use fail {"reason": "it must"}'),
      });
    },
  },
  { graph: 'created', input: human(sum) },
  {
    graph: 'created_with_context',
    input: human('use greet {"word": "Hello"}'),
    options: { context: { name: 'Ada' } },
    async more(recording) {
      const body = {
        assistant_id: 'created_with_context',
        input: human('use greet {"word": "Hi"}'),
      };
      await recording.call('no context', 'POST', '/runs/wait', body);
    },
  },
  { graph: 'structured', input: human('use Sum {"a": 1, "b": 2}') },
  { graph: 'forgetting', input: human('one'), second: human('forget everything') },
  { graph: 'supervisor', input: human('use transfer_to_adder {}') },
  { graph: 'swarm', input: human('use transfer_to_shouter {}'), second: human('hello') },
  { graph: 'subgraph', input: { notes: ['start'] } },
  { graph: 'subgraph_asks', input: { notes: ['start'] }, answers: ['the second'] },
  { graph: 'subgraph_remembers', input: { notes: ['start'] }, second: { notes: ['more'] } },
  { graph: 'subgraph_called', input: { notes: ['start'] } },
  { graph: 'to_parent', input: { notes: ['start'] } },
  { graph: 'map_reduce', input: { words: ['a', 'b', 'c'] } },
  { graph: 'commands', input: { words: ['right'] }, second: { words: ['both'] } },
  { graph: 'deferred', input: { notes: [] } },
  { graph: 'ask', input: { notes: ['start'] }, answers: [{ chosen: 2 }] },
  { graph: 'ask_until_valid', input: { notes: [] }, answers: ['one', 'two', 3] },
  {
    graph: 'ask_in_parallel',
    input: { notes: [] },
    answers: [
      ([first]: readonly { id: string }[]) => ({ [first?.id ?? '']: 'first' }),
      ([second]: readonly { id: string }[]) => ({ [second?.id ?? '']: 'second' }),
    ],
  },
  {
    graph: 'breakpoints',
    input: { notes: ['start'] },
    async more(recording) {
      const thread = await newThread(recording);
      const run = { assistant_id: 'breakpoints', stream_mode: ['values', 'updates'] };
      const first = { ...run, input: { notes: ['start'] }, interrupt_after: ['a'] };
      await recording.stream('stop after a', `${thread}/runs/stream`, first);
      const next = { ...run, input: null, interrupt_before: ['c'] };
      await recording.stream('stop before c', `${thread}/runs/stream`, next);
      await recording.stream('go on', `${thread}/runs/stream`, { ...run, input: null });
      await timeTravel(recording, thread);
    },
  },
  { graph: 'pydantic_state', input: { person: { name: 'Ada' } } },
  {
    graph: 'dataclass_state',
    input: { topic: 'time' },
    async more(recording) {
      const body = { assistant_id: 'dataclass_state', input: { depth: 'deep' } };
      await recording.call('input that does not fit', 'POST', '/runs/wait', body);
    },
  },
  { graph: 'reducers', input: { total: 1, seen: { a: 1 } }, second: { total: 1 } },
  { graph: 'custom_stream', input: { text: 'go' } },
  { graph: 'store', input: { text: 'kept' }, more: askStore },
  {
    graph: 'context',
    input: { text: '' },
    options: { context: { name: 'Ada' } },
    async more(recording) {
      const body = { assistant_id: 'context', input: { text: '' } };
      await recording.call('no context', 'POST', '/runs/wait', body);
    },
  },
  {
    graph: 'factory',
    input: { text: '' },
    options: { config: { configurable: { node_name: 'x' } } },
  },
  { graph: 'functional', input: { numbers: [1, 2] }, second: { numbers: [3] } },
  { graph: 'functional_text', input: 'a text' },
  { graph: 'retries', input: { text: '' } },
  {
    graph: 'failing',
    input: { text: 'no' },
    async more(recording) {
      const body = {
        assistant_id: 'failing',
        input: { text: 'loop' },
        config: { recursion_limit: 5 },
      };
      const thread = await newThread(recording);
      await recording.stream('recursion limit', `${thread}/runs/stream`, body);
      await recording.call('thread after it', 'GET', thread);
      await recording.call('runs of it', 'GET', `${thread}/runs`);
    },
  },
  { graph: 'slow', input: { text: '0.01' }, more: askTwice },
];

/** Goes back to an earlier state, changes it, and continues from there; writes as a node. */
async function timeTravel(recording: Recording, thread: string): Promise<void> {
  const { graph } = recording;
  const history = await recording.call('states', 'POST', `${thread}/history`, { limit: 10 });
  const { checkpoint_id } = history[1]?.checkpoint ?? {};
  const body = { assistant_id: graph, input: null, checkpoint_id, stream_mode: 'updates' };
  await recording.stream('from an earlier state', `${thread}/runs/stream`, body);
  const update = { values: { notes: ['changed'] }, as_node: 'b', checkpoint_id };
  await recording.call('update', 'POST', `${thread}/state`, update);
  await recording.call('state after the update', 'GET', `${thread}/state`);
  await recording.stream('from the update', `${thread}/runs/stream`, { assistant_id: graph });
  await recording.call('earlier state', 'GET', `${thread}/state/${checkpoint_id ?? ''}`);
  await recording.call('history at the end', 'POST', `${thread}/history`, { limit: 20 });
}

/** The store of the service, as clients see it. */
async function askStore(recording: Recording): Promise<void> {
  const namespace = ['clients', recording.graph];
  for (const [key, value] of Object.entries({ a: { n: 1 }, b: { n: 2 } })) {
    await recording.call(`put ${key}`, 'PUT', '/store/items', { namespace, key, value });
  }
  await recording.call('get', 'GET', `/store/items?namespace=${namespace.join('.')}&key=a`);
  const body = { namespace_prefix: namespace, filter: { n: 2 } };
  await recording.call('search', 'POST', '/store/items/search', body);
  const all = { namespace_prefix: namespace, query: 'anything' };
  await recording.call('search with words', 'POST', '/store/items/search', all);
  await recording.call('namespaces', 'POST', '/store/namespaces', { prefix: ['clients'] });
  await recording.call('delete', 'DELETE', '/store/items', { namespace, key: 'a' });
  await recording.call('get nothing', 'GET', `/store/items?namespace=${namespace.join('.')}&key=a`);
}

/** A second run while one is active: refused, queued, instead of it. */
async function askTwice(recording: Recording): Promise<void> {
  for (const strategy of ['reject', 'enqueue', 'interrupt', 'rollback']) {
    const thread = await newThread(recording);
    const run = (seconds: string) => ({ assistant_id: recording.graph, input: { text: seconds } });
    const first = await recording.call('first', 'POST', `${thread}/runs`, run('0.6'));
    const body = { ...run('0'), multitask_strategy: strategy };
    const second = await recording.call(`${strategy}: second`, 'POST', `${thread}/runs`, body);
    const last = second.run_id ?? first.run_id;
    const isOver = ({ status }: { status: string }) => !['pending', 'running'].includes(status);
    await recording.until(`${strategy}: last`, `${thread}/runs/${last}`, isOver);
    await recording.until(`${strategy}: thread`, thread, ({ status }) => status !== 'busy');
    const path = `${thread}/runs/${first.run_id}`;
    await recording.call(`${strategy}: first run`, 'GET', path);
    await recording.call(`${strategy}: state`, 'GET', `${thread}/state`);
  }
}
