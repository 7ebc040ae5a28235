// One real conversation with an agent over the API of LangGraph Server, through LangGraph's own client.
import { Client } from '@langchain/langgraph-sdk';
import type { Conversation } from './catalogue.ts';

/** Questions that an agent may ask before something is wrong with the conversation. */
const MOST_ANSWERS = 12;

/** A run of scripted models takes seconds; one that takes minutes goes round in circles. */
const RUN_LIMIT_MS = 180_000;

export interface Outcome {
  readonly graph: string;
  readonly problem?: string;
  /** Events that were streamed, and questions that were answered. */
  readonly events: number;
  readonly answered: number;
}

/** Holds the conversation: schemas, a streamed run, answers to what it asks, its state at the end. */
export async function converse(
  url: string,
  conversation: Conversation,
  defaultHeaders: Readonly<Record<string, string>>,
): Promise<Outcome> {
  const { graph } = conversation;
  const client = new Client({ apiUrl: `${url}/compat/langgraph`, apiKey: null, defaultHeaders });
  const seen = { events: 0, answered: 0 };
  try {
    await hold(client, conversation, seen);
    return { graph, ...seen };
  } catch (error) {
    const problem = error instanceof Error ? error.message : String(error);
    return { graph, problem: problem.slice(0, 1500), ...seen };
  }
}

async function hold(
  client: Client,
  conversation: Conversation,
  seen: { events: number; answered: number },
): Promise<void> {
  const { graph, input, context, config, answers, stopsBefore } = conversation;
  if (!conversation.hidesAssistant) {
    const schemas = await client.assistants.getSchemas(graph);
    if ((schemas.input_schema ?? null) === null) throw new Error('It has no schema of its input.');
  }
  const { thread_id: threadId } = await client.threads.create();
  let next: { input?: unknown; command?: { resume: unknown } } = { input };
  for (;;) {
    const stream = client.runs.stream(threadId, graph, {
      ...(next as { input?: Record<string, unknown> }), // the client's type knows no other inputs
      ...(context !== undefined && { context }),
      ...(config !== undefined && { config }),
      streamMode: ['values', 'updates', 'messages-tuple', 'custom'],
      streamSubgraphs: true,
      signal: AbortSignal.timeout(RUN_LIMIT_MS),
    });
    for await (const { event, data } of stream) {
      seen.events += 1;
      if (event === 'error') throw new Error(JSON.stringify(data));
    }
    const state = await client.threads.getState(threadId);
    const asked = state.tasks.flatMap(({ interrupts }) => interrupts ?? []);
    if (asked.length === 0) {
      if (state.next.join() !== stopsBefore.join()) {
        throw new Error(`It stopped before ${state.next.join(', ') || 'its end'}.`);
      }
      // An entrypoint may leave no values, but always a checkpoint.
      if ((state.checkpoint.checkpoint_id ?? null) === null) throw new Error('It has no state.');
      return;
    }
    if (answers.length === 0) throw new Error(`It asks: ${JSON.stringify(asked).slice(0, 800)}`);
    if (seen.answered >= MOST_ANSWERS) throw new Error(`It asks more than ${MOST_ANSWERS} times.`);
    next = { command: { resume: answers[Math.min(seen.answered, answers.length - 1)] } };
    seen.answered += 1;
  }
}
