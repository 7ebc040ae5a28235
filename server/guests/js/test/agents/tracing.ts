import { AIMessage } from '@langchain/core/messages';
import { RunnableLambda, type Runnable, type RunnableConfig } from '@langchain/core/runnables';
import { tool } from '@langchain/core/tools';
import { FakeStreamingChatModel } from '@langchain/core/utils/testing';
import {
  Annotation,
  Command,
  entrypoint,
  interrupt,
  Send,
  START,
  StateGraph,
  task,
} from '@langchain/langgraph';
import { z } from 'zod';

/** Graphs whose history the tests of the mode `trace` read; python/tests/agents/tracing.py has the same. */
const State = Annotation.Root({
  n: Annotation<number>,
  log: Annotation<string[]>({ reducer: (all, more) => [...all, ...more], default: () => [] }),
});

class ValueError extends Error {
  override name = 'ValueError';
}
class ConnectionError extends Error {
  override name = 'ConnectionError';
}

const note = (name: string) => () => ({ log: [name] });

export const parallel = new StateGraph(State)
  .addNode('left', note('left'))
  .addNode('right', note('right'))
  .addNode('both', note('both'))
  .addEdge(START, 'left')
  .addEdge(START, 'right')
  .addEdge('left', 'both')
  .addEdge('right', 'both')
  .compile();

const inner = new StateGraph(State).addNode('leaf', note('leaf')).addEdge(START, 'leaf').compile();

export const nested = new StateGraph(State)
  .addNode('inside', inner)
  .addNode('invoke', async () => {
    const { log } = await inner.invoke({ log: [] });
    return { log: ['invoked', ...log] };
  })
  .addEdge(START, 'inside')
  .addEdge('inside', 'invoke')
  .compile();

export const sending = new StateGraph(State)
  .addNode('plan', note('plan'))
  .addNode('work', ({ n }: { n: number }) => ({ log: [`work ${n}`] }))
  .addEdge(START, 'plan')
  .addConditionalEdges('plan', () => [1, 2].map((n) => new Send('work', { n })), ['work'])
  .compile();

class CountingModel extends FakeStreamingChatModel {
  override async _generate(
    ...given: Parameters<FakeStreamingChatModel['_generate']>
  ): ReturnType<FakeStreamingChatModel['_generate']> {
    const result = await super._generate(...given);
    const counts = { input_tokens: 3, output_tokens: 2, total_tokens: 5 };
    const usage = { ...counts, input_token_details: { cache_read: 1 } };
    for (const { message } of result.generations) Object.assign(message, { usage_metadata: usage });
    return result;
  }
}

function model(text: string): Runnable<string, AIMessage> {
  return new CountingModel({ responses: [new AIMessage(text)], sleep: 0 }).withConfig({
    runName: 'model',
    metadata: { ls_model_name: 'fake-1' },
  }) as Runnable as Runnable<string, AIMessage>; // what it takes and makes
}

const answer = RunnableLambda.from((text: string, config: RunnableConfig) =>
  model('sunny').invoke(text, config),
);

const weather = tool(
  async ({ city }: { city: string }, config: RunnableConfig) => {
    if (city === 'nowhere') throw new ValueError('no such city');
    const { text } = await answer.invoke(city, config);
    return `${text} in ${city}${'!'.repeat(city === 'far' ? 200_000 : 0)}`;
  },
  {
    name: 'weather',
    description: 'The weather of a city.',
    schema: z.object({ city: z.string() }),
  },
);

export const calling = new StateGraph(State)
  .addNode('ask', async () => ({ log: [(await model('look it up').invoke('Bern?')).text] }))
  .addNode('stream', async () => {
    const parts: string[] = [];
    for await (const part of await model('word by word').stream('Bern?')) parts.push(part.text);
    return { log: [parts.join('')] };
  })
  .addNode('look', async () => ({ log: [String(await weather.invoke({ city: 'Bern' }))] }))
  .addNode('miss', async () => {
    try {
      return { log: [String(await weather.invoke({ city: 'nowhere' }))] };
    } catch (error) {
      return { log: [String((error as Error).message)] };
    }
  })
  .addEdge(START, 'ask')
  .addEdge('ask', 'stream')
  .addEdge('stream', 'look')
  .addEdge('look', 'miss')
  .compile();

export const large = new StateGraph(State)
  .addNode('look', async () => ({ log: [String(await weather.invoke({ city: 'far' }))] }))
  .addEdge(START, 'look')
  .compile();

export const asking = new StateGraph(State)
  .addNode('ask', () => ({ log: [String(interrupt('which way?'))] }))
  .addEdge(START, 'ask')
  .compile();
export const askingBelow = new StateGraph(State)
  .addNode('inside', asking)
  .addEdge(START, 'inside')
  .compile();

export const failing = new StateGraph(State)
  .addNode('fail', () => {
    throw new ValueError('no such city');
  })
  .addEdge(START, 'fail')
  .compile();

let tries = 0;
const retryPolicy = { initialInterval: 1, maxAttempts: 3, jitter: false, logWarning: false };
export const retrying = new StateGraph(State)
  .addNode(
    'unsure',
    () => {
      tries += 1;
      if (tries % 3 !== 0) throw new ConnectionError('not yet');
      return { log: ['at last'] };
    },
    { retryPolicy },
  )
  .addEdge(START, 'unsure')
  .compile();

const leaving = new StateGraph(State)
  .addNode(
    'leave',
    () =>
      new Command({
        graph: Command.PARENT,
        update: { log: ['left early'] },
        goto: 'after',
      }) as never, // another graph's node
  )
  .addEdge(START, 'leave')
  .compile();
export const handingOver = new StateGraph(State)
  .addNode('inside', leaving, { ends: ['after'] })
  .addNode('after', note('after'))
  .addEdge(START, 'inside')
  .compile();

const double = task('double', async (n: number) => n * 2);
const describe = task('describe', async (n: number) => {
  const { text } = await model(`it is ${n}`).invoke('what?');
  return text;
});
export const functional = entrypoint('functional', async ({ n }: { n: number }) =>
  describe(await double(n)),
);

export const waiting = new StateGraph(State)
  .addNode('wait', async () => {
    process.stdout.write('waiting\n');
    await new Promise((resolve) => setTimeout(resolve, 60_000).unref());
    return { log: ['late'] };
  })
  .addEdge(START, 'wait')
  .compile();

/** An error whose message throws. */
const oddError = new Proxy(new Error('odd'), {
  get: (error, name) => {
    if (name === 'message') throw new Error('no text');
    return Reflect.get(error, name) as unknown;
  },
});
const loop: Record<string, unknown> = { big: 10n, text: '\ud800', when: new Date(Number.NaN) };
loop['self'] = loop;
const about = { description: 'An odd one.', schema: z.object({}) };
const oddValue = tool(() => loop, { name: 'odd_value', ...about });
const oddFailure = tool(
  () => {
    throw oddError;
  },
  { name: 'odd_failure', ...about },
);

export const oddities = new StateGraph(State)
  .addNode('odd', async () => {
    await oddValue.invoke({});
    try {
      await oddFailure.invoke({});
    } catch {
      return { log: ['odd'] };
    }
    return { log: ['never'] };
  })
  .addEdge(START, 'odd')
  .compile();
