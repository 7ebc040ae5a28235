/**
 * A support desk in TypeScript: a model sorts the ticket, the graph decides what happens to it. What is not
 * understood goes to a person, with a note.
 */
import { Annotation, END, START, StateGraph } from '@langchain/langgraph';
import { loadModel } from './model.ts';

const categories = ['billing', 'technical', 'other'] as const;
type Category = (typeof categories)[number];

const Ticket = Annotation.Root({
  ticket: Annotation<string>,
  category: Annotation<Category>,
  reply: Annotation<string>,
  assigned_to: Annotation<string>,
  log: Annotation<string[]>({ reducer: (all, more) => [...all, ...more], default: () => [] }),
});

type State = typeof Ticket.State;
type Update = typeof Ticket.Update;

const model = await loadModel();

async function classify({ ticket }: State): Promise<Update> {
  const word = await model.ask(`One word of ${categories.join(', ')}.\nTicket: ${ticket}`);
  const category = categories.find((one) => one === word.trim().toLowerCase()) ?? 'other';
  return { category, log: [`classified as ${category}`] };
}

function answer({ category }: State): Update {
  const replies = {
    billing: 'We have asked accounting to look at your payment.',
    technical: 'Please try again; we are looking into it.',
  };
  return { reply: category === 'other' ? '' : replies[category], log: ['answered'] };
}

function escalate(): Update {
  return { assigned_to: 'support desk', log: ['handed to a person'] };
}

export const graph = new StateGraph(Ticket)
  .addNode('classify', classify)
  .addNode('answer', answer)
  .addNode('escalate', escalate)
  .addEdge(START, 'classify')
  .addConditionalEdges(
    'classify',
    ({ category }) => (category === 'other' ? 'escalate' : 'answer'),
    ['answer', 'escalate'],
  )
  .addEdge('answer', END)
  .addEdge('escalate', END)
  .compile();
