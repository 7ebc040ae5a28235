// What is asked of both servers about each graph.
import type { RecordedResponse, Recording } from './recording.ts';

export interface Scenario {
  readonly graph: string;
  readonly input: unknown;
  /** Not asked for schemas: LangGraph's JavaScript server reads them from types, for longer than its own limit. */
  readonly isWithoutSchemas?: boolean;
  /** More members of every run: `context`, `config`. */
  readonly options?: Readonly<Record<string, unknown>>;
  /** Answers to its questions, in order: `resume` of a command. */
  readonly answers?: readonly unknown[];
  /** The input of a second run on the same thread. */
  readonly second?: unknown;
  /** What only this graph is asked. */
  readonly more?: (recording: Recording) => Promise<void>;
}

/** Plays a scenario: what every graph is asked, then what only this one is. */
export async function play(scenario: Scenario, recording: Recording): Promise<void> {
  const { graph, input, options = {}, answers = [], second, more } = scenario;
  if (scenario.isWithoutSchemas !== true) {
    await recording.call('schemas', 'GET', `/assistants/${await assistantOf(recording)}/schemas`);
  }

  const thread = await newThread(recording);
  const run = { assistant_id: graph, ...options };
  await recording.stream('stream', `${thread}/runs/stream`, {
    ...run,
    input,
    stream_mode: ['values', 'updates', 'messages-tuple', 'custom'],
    stream_subgraphs: true,
  });
  await recording.call('state', 'GET', `${thread}/state?subgraphs=true`);
  for (const [at, resume] of answers.entries()) {
    await recording.stream(`answer ${at + 1}`, `${thread}/runs/stream`, {
      ...run,
      command: {
        resume:
          typeof resume === 'function'
            ? await answersById(recording, thread, resume as AnswerOf)
            : resume,
      },
      stream_mode: ['values', 'updates'],
    });
    await recording.call(`state after answer ${at + 1}`, 'GET', `${thread}/state`);
  }
  if (second !== undefined) {
    const body = { ...run, input: second, stream_mode: 'updates' };
    await recording.stream('second', `${thread}/runs/stream`, body);
  }
  await recording.call('history', 'POST', `${thread}/history`, { limit: 100 });
  await recording.call('thread', 'GET', thread);

  const debugged = await newThread(recording);
  await recording.stream('debug', `${debugged}/runs/stream`, {
    ...run,
    input,
    stream_mode: ['tasks', 'checkpoints', 'debug'],
  });
  const waited = await newThread(recording);
  await recording.call('wait', 'POST', `${waited}/runs/wait`, { ...run, input });
  await recording.call('stateless', 'POST', '/runs/wait', { ...run, input });
  await more?.(recording);
}

/** Makes answers from the questions that are open: they are named by ids. */
export type AnswerOf = (questions: readonly { readonly id: string }[]) => unknown;

async function answersById(
  recording: Recording,
  thread: string,
  answer: AnswerOf,
): Promise<unknown> {
  const state = await recording.call('questions', 'GET', `${thread}/state`);
  return answer(state.tasks.flatMap(({ interrupts }) => interrupts));
}

/** Makes a thread and gives its path. */
export async function newThread(recording: Recording): Promise<string> {
  const { thread_id: id } = await recording.call('create thread', 'POST', '/threads', {});
  return `/threads/${id}`;
}

/** The id of the graph's assistant. */
export async function assistantOf(recording: Recording): Promise<string> {
  const found = await recording.call('assistants', 'POST', '/assistants/search', {
    graph_id: recording.graph,
    limit: 10,
  });
  return (found[0] as RecordedResponse & { assistant_id: string }).assistant_id; // each graph has one
}
