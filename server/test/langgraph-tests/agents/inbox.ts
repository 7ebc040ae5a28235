// An agent that asks in LangGraph's schema `HumanInterrupt`.
import { Annotation, interrupt, START, StateGraph } from '@langchain/langgraph';

const Mail = Annotation.Root({
  to: Annotation<string>(),
  outcome: Annotation<string>(),
});
type State = typeof Mail.State;

/** What a person did about the question. */
interface HumanResponse {
  readonly type: 'accept' | 'edit' | 'response' | 'ignore';
  readonly args: null | string | { readonly args: { readonly to: string } };
}

function ask({ to }: State): Partial<State> {
  if (to === 'nowhere') throw new Error('There is no such address.');
  if (to === 'myself') return { outcome: 'sent without a question' };
  const question = {
    action_request: { action: `mail to ${to}`, args: { to } },
    config: { allow_accept: true, allow_edit: true, allow_respond: true, allow_ignore: true },
    description: `May a mail go to ${to}?`,
  };
  const [response] = interrupt<object, readonly HumanResponse[]>([question]);
  const args = response?.args;
  const detail = typeof args === 'object' && args !== null ? args.args.to : args;
  return { outcome: `${response?.type}: ${detail ?? 'nothing'}` };
}

export const graph = new StateGraph(Mail).addNode('ask', ask).addEdge(START, 'ask').compile();
