import { FakeListChatModel } from '@langchain/core/utils/testing';
import { END, MessagesAnnotation, START, StateGraph } from '@langchain/langgraph';

export const graph = new StateGraph(MessagesAnnotation)
  .addNode('reply', async ({ messages }) => {
    const model = new FakeListChatModel({ responses: [`answer ${messages.length}`] });
    return { messages: [await model.invoke(messages)] };
  })
  .addEdge(START, 'reply')
  .addEdge('reply', END)
  .compile();
