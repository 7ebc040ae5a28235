import { existsSync } from 'node:fs';
import { Annotation, END, interrupt, Send, START, StateGraph } from '@langchain/langgraph';

const State = Annotation.Root({
  messages: Annotation<unknown[]>,
  n: Annotation<number>,
  log: Annotation<string[]>({ reducer: (all, more) => [...all, ...more], default: () => [] }),
  file: Annotation<string>,
});

const note = (name: string) => (state: { n: number }) => ({ log: [`${name} ${state.n}`] });
const ask = ({ n }: { n: number }) => ({ log: [`${String(interrupt('ask?'))} ${n}`] });

export const counting = new StateGraph(State)
  .addNode('one', ({ n }) => ({ n: n + 1, log: ['one'] }))
  .addNode('two', ({ n }) => ({ n: n * 10, log: ['two'] }))
  .addEdge(START, 'one')
  .addEdge('one', 'two')
  .addEdge('two', END)
  .compile();

/** A graph whose node has the name that the config gives it. */
export const configured = (config: { configurable?: { node?: string } }) => {
  const name = config.configurable?.node ?? 'other';
  return new StateGraph(State)
    .addNode(name, note(name))
    .addEdge(START, name)
    .addEdge(name, END)
    .compile();
};

/** Two nodes of one step: LangGraph cannot infer which of them wrote last. */
export const parallel = new StateGraph(State)
  .addNode('left', note('left'))
  .addNode('right', note('right'))
  .addNode('after_left', note('after_left'))
  .addNode('after_right', note('after_right'))
  .addNode('both', note('both'), { defer: true })
  .addEdge(START, 'left')
  .addEdge(START, 'right')
  .addEdge('left', 'after_left')
  .addEdge('right', 'after_right')
  .addEdge('after_left', 'both')
  .addEdge('after_right', 'both')
  .addEdge('both', END)
  .compile();

/** A node that has finished beside one that asks. */
export const asking = new StateGraph(State)
  .addNode('done', note('done'))
  .addNode('ask', ask)
  .addNode('end', note('end'))
  .addEdge(START, 'done')
  .addEdge(START, 'ask')
  .addEdge(['done', 'ask'], 'end')
  .addEdge('end', END)
  .compile();

export const askingTwice = new StateGraph(State)
  .addNode('ask_twice', ({ n }) => {
    const answers = [interrupt('first?'), interrupt('second?')];
    return { log: [`${answers.join(' ')} ${n}`] };
  })
  .addEdge(START, 'ask_twice')
  .compile();

export const failing = new StateGraph(State)
  .addNode('first', note('first'))
  .addNode('done', note('done'))
  .addNode('fail_first', ({ file, n }) => {
    if (!existsSync(file)) throw new Error('not yet');
    return { log: [`fail_first ${n}`] };
  })
  .addEdge(START, 'first')
  .addEdge('first', 'done')
  .addEdge('first', 'fail_first')
  .compile();

export const sending = new StateGraph(State)
  .addNode('start', note('start'))
  .addNode('ask_one', ({ n }: { n: number }) => ({ log: [`${n}:${String(interrupt(n))}`] }))
  .addEdge(START, 'start')
  .addConditionalEdges('start', () => [1, 2].map((n) => new Send('ask_one', { n })), ['ask_one'])
  .addEdge('ask_one', END)
  .compile();

const inner = new StateGraph(State)
  .addNode('before', note('before'))
  .addNode('ask', ask)
  .addEdge(START, 'before')
  .addEdge('before', 'ask')
  .compile();

const middle = new StateGraph(State).addNode('inner', inner).addEdge(START, 'inner').compile();

export const nested = new StateGraph(State)
  .addNode('middle', middle)
  .addEdge(START, 'middle')
  .compile();

/** Its entry depends on the state. */
export const branching = new StateGraph(State)
  .addNode('small', note('small'))
  .addNode('large', note('large'))
  .addConditionalEdges(START, ({ n }) => (n > 9 ? 'large' : 'small'), ['small', 'large'])
  .compile();
