import type { LangGraphRunnableConfig } from '@langchain/langgraph';
import { Annotation, END, START, StateGraph } from '@langchain/langgraph';

const State = Annotation.Root({ report: Annotation<unknown> });

export const graph = new StateGraph(State)
  .addNode('remember', async (_state, { store }: LangGraphRunnableConfig) => {
    if (store === undefined) return { report: 'no store' };
    await store.put(['users', 'ada'], 'color', { name: 'red', liked: true });
    await store.put(['users', 'ada'], 'number', { name: 'seven', liked: false });
    await store.put(['users', 'bob'], 'gone', { name: 'x' });
    await store.delete(['users', 'bob'], 'gone');
    const item = await store.get(['users', 'ada'], 'color');
    const liked = await store.search(['users'], { filter: { liked: true } });
    return {
      report: {
        item: item?.value,
        at: item?.createdAt,
        missing: await store.get(['users', 'bob'], 'gone'),
        liked: liked.map(({ key }) => key),
      },
    };
  })
  .addEdge(START, 'remember')
  .addEdge('remember', END)
  .compile();
