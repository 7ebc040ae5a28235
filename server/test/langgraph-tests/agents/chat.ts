// An agent that asks before it calls its tool, in the schema of LangChain's human-in-the-loop middleware.
import { isAIMessage, ToolMessage } from '@langchain/core/messages';
import { END, interrupt, MessagesAnnotation, START, StateGraph } from '@langchain/langgraph';
import { Talker } from './talker.ts';

type State = typeof MessagesAnnotation.State;

interface Decision {
  readonly type: 'approve' | 'edit' | 'reject';
  readonly edited_action?: { readonly args: { readonly to: string } };
  readonly message?: string;
}

async function answer({ messages }: State): Promise<Partial<State>> {
  return { messages: [await new Talker().invoke(messages)] };
}

function callOf({ messages }: State) {
  const last = messages.at(-1);
  return last !== undefined && isAIMessage(last) ? last.tool_calls?.at(0) : undefined;
}

function mail(state: State): Partial<State> {
  const { id = '', name, args } = callOf(state) ?? { name: '', args: {} };
  const { decisions } = interrupt<object, { decisions: readonly Decision[] }>({
    action_requests: [{ name, args, description: 'A mail is to be sent.' }],
    review_configs: [{ action_name: name, allowed_decisions: ['approve', 'edit', 'reject'] }],
  });
  const [decision] = decisions;
  const { to } = decision?.edited_action?.args ?? (args as { to: string }); // the model's own
  const content =
    decision?.type === 'reject' ? `rejected, ${decision.message}` : `mail sent to ${to}`;
  return { messages: [new ToolMessage({ content, tool_call_id: id, name })] };
}

export const graph = new StateGraph(MessagesAnnotation)
  .addNode('answer', answer)
  .addNode('mail', mail)
  .addEdge(START, 'answer')
  .addConditionalEdges('answer', (state) => (callOf(state) ? 'mail' : END), ['mail', END])
  .addEdge('mail', 'answer')
  .compile();
