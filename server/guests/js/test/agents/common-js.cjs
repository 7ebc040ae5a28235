const { HumanMessage } = require('@langchain/core/messages');
const { END, MessagesAnnotation, START, StateGraph } = require('@langchain/langgraph');

exports.graph = new StateGraph(MessagesAnnotation)
  .addNode('count', ({ messages }) => {
    if (!messages.every((message) => message instanceof HumanMessage))
      throw new Error('foreign message');
    return { messages: [new HumanMessage(`message ${messages.length + 1}`)] };
  })
  .addEdge(START, 'count')
  .addEdge('count', END)
  .compile();
