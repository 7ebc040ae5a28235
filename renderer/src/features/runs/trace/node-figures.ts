import type { TraceSpan } from '../../../api/generated/types.gen.ts';
import type { GraphFigures, NodeFigures } from '../../../ui/agent-graph/node-figures.ts';

/** Figures of each node of one run, from its trace. */
export function nodeFigures(spans: readonly TraceSpan[]): GraphFigures {
  const ofNodes = new Map<string, TraceSpan[]>();
  for (const span of spans) {
    if (span.kind !== 'node') continue;
    const id = nodeIdOf(span);
    const known = ofNodes.get(id);
    if (known === undefined) ofNodes.set(id, [span]);
    else known.push(span);
  }
  return new Map([...ofNodes].map(([id, calls]) => [id, figuresOf(calls)]));
}

function figuresOf(calls: readonly TraceSpan[]): NodeFigures {
  const times = calls
    .flatMap(({ status, duration_ms }) => (status === 'completed' ? [duration_ms ?? 0] : []))
    .toSorted((one, other) => one - other);
  const at = (part: number): number | undefined => times[Math.ceil(times.length * part) - 1];
  return {
    calls: calls.length,
    errors: calls.filter(({ status }) => status === 'error').length,
    p50Ms: at(0.5),
    p95Ms: at(0.95),
  };
}

/** As the graph names it: of the namespace `section:<task>|draft:<task>` the node is `section:draft`. */
function nodeIdOf({ checkpoint_ns: namespace = '', name }: TraceSpan): string {
  if (namespace === '') return name;
  return namespace
    .split('|')
    .map((level) => level.split(':')[0])
    .join(':');
}
