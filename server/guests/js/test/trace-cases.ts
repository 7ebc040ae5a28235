import { readFileSync } from 'node:fs';
import { expect } from 'vitest';
import type { Chunk } from '../src/wire.ts';

/** What the mode `trace` reports of the graphs of agents/tracing.ts, in both languages the same. */
export interface TraceCase {
  reports: string;
  agent: string;
  status: string;
  spans: Span[];
}

type Span = Record<string, unknown>;
interface Event extends Record<string, unknown> {
  event: 'start' | 'token' | 'end';
  kind: string;
  id: string;
  parent_id: string | null;
  ns: string;
}

const file = new URL('../../../test/fixtures/trace-cases.json', import.meta.url);
export const traceCases = JSON.parse(readFileSync(file, 'utf8')) as TraceCase[]; // our own

const exportOf: Record<string, string> = {
  asking_below: 'askingBelow',
  handing_over: 'handingOver',
};
/** The agents of all cases, for a guest. */
export const tracedAgents = Object.fromEntries(
  traceCases.map(({ agent }) => [agent, `./tracing.ts:${exportOf[agent] ?? agent}`]),
);

const isTime = /^20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
const start = ['event', 'kind', 'id', 'parent_id', 'name', 'node', 'step', 'ns', 'ts'];
const members: Record<string, string[]> = {
  'start node': start,
  'start model': [...start, 'input', 'params', 'model'],
  'start tool': [...start, 'input'],
  token: ['event', 'id', 'ts'],
  end: ['event', 'kind', 'id', 'ts', 'latency_ms', 'status', 'output', 'usage', 'error'],
};

/** The spans in the order of their starts, without what differs from run to run. */
export function spansOf(chunks: readonly Chunk[]): Span[] {
  const spans = new Map<string, Span>();
  for (const { mode, ns, json } of chunks) {
    expect([mode, ns]).toEqual(['trace', '']);
    const event = JSON.parse(json) as Event; // our own
    const form = event.event === 'start' ? `start ${event.kind}` : event.event;
    expect(Object.keys(event).toSorted()).toEqual(members[form]?.toSorted());
    expect(event['ts']).toMatch(isTime);
    const span = spans.get(event.id);
    if (event.event === 'start') {
      expect(span).toBeUndefined();
      spans.set(event.id, started(event, spans));
    } else if (event.event === 'token') {
      expect(span).not.toHaveProperty('has_token');
      spans.set(event.id, { ...span, has_token: true });
    } else {
      expect(span).not.toHaveProperty('status');
      expect(event['latency_ms']).toBeGreaterThanOrEqual(0);
      spans.set(event.id, { ...span, ...ended(event) });
    }
  }
  return [...spans.values()];
}

function started(event: Event, spans: ReadonlyMap<string, Span>): Span {
  const { kind, name, node, step, model, input } = event;
  const messages = input as { content: unknown }[]; // of a model
  return {
    kind,
    name,
    in: event.parent_id === null ? null : spans.get(event.parent_id)?.['name'],
    node,
    step,
    ns: event.ns.replaceAll(/:[^|]*/g, ''),
    ...given({ model, input: kind === 'model' ? messages.map(({ content }) => content) : input }),
  };
}

function ended({ kind, status, output, usage, error }: Event): Span {
  return given({ status, usage, error, output: shown(kind, output) });
}

function shown(kind: string, output: unknown): unknown {
  if (typeof output !== 'object' || output === null) return output;
  if (kind === 'model' && 'content' in output) return output.content;
  if ('__interrupt__' in output) {
    const asked = output.__interrupt__ as { value: unknown }[];
    return { __interrupt__: asked.map(({ value }) => ({ value })) };
  }
  return 'update' in output ? { update: output.update } : output;
}

function given(fields: Span): Span {
  return Object.fromEntries(
    Object.entries(fields).filter(([, value]) => value !== null && value !== undefined),
  );
}
