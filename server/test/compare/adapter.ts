// CopilotKit's adapter for servers of LangGraph, as CopilotKit's runtime uses it.
import { randomUUID } from 'node:crypto';
import { createRequire } from 'node:module';
import path from 'node:path';

const packages = process.env['ADAPTER_NODE_MODULES'];
if (packages === undefined) throw new Error('ADAPTER_NODE_MODULES names no folder of packages.');

/** What the tests use of `@ag-ui/langgraph`, which is not among the packages of this project. */
interface Adapter {
  readonly LangGraphAgent: new (options: { deploymentUrl: string; graphId: string }) => {
    run(input: object): {
      subscribe(observer: {
        next(event: AgentEvent): void;
        error(reason: unknown): void;
        complete(): void;
      }): unknown;
    };
  };
}

/** What the tests look at in an event of AG-UI. */
export interface AgentEvent {
  readonly type: string;
  readonly delta?: string;
  readonly toolCallName?: string;
  readonly content?: string;
  readonly name?: string;
  readonly value?: unknown;
  readonly message?: string;
  readonly messages?: readonly object[];
  readonly snapshot?: { readonly notes?: readonly string[] };
}

const { LangGraphAgent } = createRequire(path.join(packages, 'index.js'))(
  '@ag-ui/langgraph',
) as Adapter; // its own types are in that folder

/** What a run begins with: a message of the user, or the answer to a question. */
export interface Turn {
  readonly text?: string;
  readonly resume?: string;
  readonly state?: object;
}

/** A thread of one graph on one server. */
export class Conversation {
  readonly #threadId = randomUUID();
  #messages: readonly object[] = [];
  readonly #url: string;
  readonly #graphId: string;

  constructor(url: string, graphId: string) {
    this.#url = url;
    this.#graphId = graphId;
  }

  /** One run; gives its events. */
  async run({ text, resume, state = {} }: Turn): Promise<AgentEvent[]> {
    if (text !== undefined) {
      const message = { id: randomUUID(), role: 'user', content: text };
      this.#messages = [...this.#messages, message];
    }
    const events: AgentEvent[] = [];
    const agent = new LangGraphAgent({ deploymentUrl: this.#url, graphId: this.#graphId });
    const input = {
      threadId: this.#threadId,
      runId: randomUUID(),
      messages: this.#messages,
      tools: [],
      context: [],
      state,
      forwardedProps: resume === undefined ? {} : { command: { resume } },
    };
    await new Promise<void>((resolve, reject) => {
      agent.run(input).subscribe({
        next: (event) => events.push(event),
        error: reject,
        complete: resolve,
      });
    });
    // What CopilotKit's page has from then on.
    const snapshots = events.filter(({ type }) => type === 'MESSAGES_SNAPSHOT');
    this.#messages = snapshots.at(-1)?.messages ?? this.#messages;
    return events;
  }
}

/** How many events of each type there are. */
export function counts(events: readonly AgentEvent[]): Record<string, number> {
  const found: Record<string, number> = {};
  for (const { type } of events) found[type] = (found[type] ?? 0) + 1;
  return found;
}

/** The text that was streamed. */
export function textOf(events: readonly AgentEvent[]): string {
  const parts = events.filter(({ type }) => type === 'TEXT_MESSAGE_CONTENT');
  return parts.map(({ delta }) => delta).join('');
}
