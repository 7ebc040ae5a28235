// The forms that agents in JavaScript have.
import { tool } from '@langchain/core/tools';
import {
  Annotation,
  Command,
  MessagesAnnotation,
  Send,
  START,
  StateGraph,
  entrypoint,
  getStore,
  interrupt,
  task,
  type LangGraphRunnableConfig,
} from '@langchain/langgraph';
import { ToolNode, toolsCondition } from '@langchain/langgraph/prebuilt';
import { z } from 'zod';
import { Scripted } from './model.ts';

type Messages = typeof MessagesAnnotation.State;

export const chat = new StateGraph(MessagesAnnotation)
  .addNode('answer', async ({ messages }: Messages) => ({
    messages: [await new Scripted().invoke(messages)],
  }))
  .addEdge(START, 'answer')
  .compile();

const add = tool(({ a, b }: { a: number; b: number }) => String(a + b), {
  name: 'add',
  description: 'Adds two numbers.',
  schema: z.object({ a: z.number(), b: z.number() }),
});

export const tools = new StateGraph(MessagesAnnotation)
  .addNode('callModel', async ({ messages }: Messages) => ({
    messages: [await new Scripted().bindTools([add]).invoke(messages)],
  }))
  .addNode('tools', new ToolNode([add]))
  .addEdge(START, 'callModel')
  .addConditionalEdges('callModel', toolsCondition, ['tools', '__end__'])
  .addEdge('tools', 'callModel')
  .compile();

const Notes = Annotation.Root({
  notes: Annotation<string[]>({ reducer: (a, b) => [...a, ...b], default: () => [] }),
  words: Annotation<string[]>(),
});
type State = typeof Notes.State;
const note = (text: string) => () => ({ notes: [text] });

export const ask = new StateGraph(Notes)
  .addNode('before', note('before'))
  .addNode('one', () => ({
    notes: [`answer: ${JSON.stringify(interrupt({ question: 'Is it good?' }))}`],
  }))
  .addEdge(START, 'before')
  .addEdge('before', 'one')
  .compile();

const child = new StateGraph(Notes)
  .addNode('first', note('child first'))
  .addNode('ask', () => ({ notes: [`answer: ${interrupt<string, string>('Which one?')}`] }))
  .addEdge(START, 'first')
  .addEdge('first', 'ask')
  .compile();

export const subgraph = new StateGraph(Notes)
  .addNode('child', child)
  .addNode('after', note('after'))
  .addEdge(START, 'child')
  .addEdge('child', 'after')
  .compile();

export const map_reduce = new StateGraph(Notes)
  .addNode('work', ({ words: [word] }: State) => ({ notes: [word?.toUpperCase() ?? ''] }))
  .addNode('collect', ({ notes }: State) => ({ notes: [`${notes.length} in all`] }))
  .addConditionalEdges(
    START,
    ({ words }: State) => words.map((word) => new Send('work', { words: [word] })),
    ['work'],
  )
  .addEdge('work', 'collect')
  .compile();

export const commands = new StateGraph(Notes)
  .addNode(
    'choose',
    ({ words: [way = 'left'] }: State) => new Command({ goto: way, update: { notes: [way] } }),
    { ends: ['left', 'right'] },
  )
  .addNode('left', note('at the left'))
  .addNode('right', note('at the right'))
  .addEdge(START, 'choose')
  .compile();

const Person = z.object({
  name: z.string(),
  age: z.number().default(1),
  greeting: z.string().optional(),
});

export const zod_state = new StateGraph(Person)
  .addNode('greet', ({ name, age }) => ({ greeting: `${name} is ${age}` }))
  .addEdge(START, 'greet')
  .compile();

const double = task('double', async (number: number) => number * 2);

export const functional = entrypoint('functional', async ({ numbers }: { numbers: number[] }) => {
  const doubled = await Promise.all(numbers.map((number) => double(number)));
  return { total: doubled.reduce((sum, number) => sum + number, 0) };
});

export const custom_stream = new StateGraph(Notes)
  .addNode('write', (_: State, config: LangGraphRunnableConfig) => {
    config.writer?.({ progress: 1 });
    config.writer?.('half of it');
    return { notes: ['written'] };
  })
  .addEdge(START, 'write')
  .compile();

export const store = new StateGraph(Notes)
  .addNode('keep', async (_: State, config: LangGraphRunnableConfig) => {
    const kept = getStore(config);
    const space = ['notes', String(config.configurable?.['thread_id'])];
    await kept?.put(space, 'one', { text: 'kept' });
    const found = (await kept?.search(space)) ?? [];
    return { notes: found.map(({ key }) => key) };
  })
  .addEdge(START, 'keep')
  .compile();

export const failing = new StateGraph(Notes)
  .addNode('before', note('before'))
  .addNode('fail', () => {
    throw new TypeError('it must');
  })
  .addEdge(START, 'before')
  .addEdge('before', 'fail')
  .compile();

const Context = z.object({ name: z.string().default('unnamed') });

export const context = new StateGraph(Notes, Context)
  .addNode('greet', (_: State, runtime) => ({
    notes: [String((runtime as { context?: { name?: string } }).context?.name)],
  }))
  .addEdge(START, 'greet')
  .compile();
