import { setTimeout as sleep } from 'node:timers/promises';
import {
  Annotation,
  END,
  START,
  StateGraph,
  type LangGraphRunnableConfig,
} from '@langchain/langgraph';

const State = Annotation.Root({
  after: Annotation<number>,
  rate: Annotation<number>,
  events: Annotation<number>,
});

const TICK_MS = 10;

/** Streams so many custom events at so many a second, `after` so many milliseconds. */
export const graph = new StateGraph(State)
  .addNode('stream', async ({ after, rate, events }, config: LangGraphRunnableConfig) => {
    await sleep(after);
    const begin = performance.now();
    for (let sent = 0; sent < events;) {
      const due = Math.min(events, ((performance.now() - begin) / 1_000) * rate);
      for (; sent < due; sent++) {
        config.writer?.({ index: sent, token: `token-${sent} `, note: 'what a token weighs' });
      }
      await sleep(TICK_MS);
    }
    return { events };
  })
  .addEdge(START, 'stream')
  .addEdge('stream', END)
  .compile();
