import type { Skeleton } from '../../ui/json/json-documents.ts';
import { isRecord, type JsonRecord } from '../../api/json-record.ts';

/** A checkpoint as the tree shows it: everything but its values. */
export interface Checkpoint {
  readonly id: string;
  readonly ns: string;
  readonly parentId: string | undefined;
  /** For the first checkpoint of a sub-graph: the one of the graph around it that it started from. */
  readonly outerId: string | undefined;
  readonly step: number | undefined;
  readonly source: string;
  readonly nextNodes: readonly string[];
  readonly runId: string | undefined;
  readonly agentId: string | undefined;
  readonly createdAt: string;
  readonly size: number;
  readonly prints: Readonly<Record<string, number>>;
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly problem: string | undefined;
}

/** Reads a history entry without its values. */
export function toCheckpoint({ item, size, prints }: Skeleton): Checkpoint {
  const reference = record(item['checkpoint']);
  const metadata = record(item['metadata']);
  const ns = text(reference['checkpoint_ns']) ?? '';
  const next = item['next_nodes'];
  return {
    id: text(reference['checkpoint_id']) ?? '',
    ns,
    parentId: text(record(item['parent_checkpoint'])['checkpoint_id']),
    outerId: text(record(metadata['parents'])[outerNamespace(ns)]),
    step: typeof metadata['step'] === 'number' ? metadata['step'] : undefined,
    source: text(metadata['source']) ?? '',
    nextNodes: Array.isArray(next) ? next.filter((name) => typeof name === 'string') : [],
    runId: text(metadata['run_id']),
    agentId: text(metadata['agent_id']),
    createdAt: text(item['created_at']) ?? '',
    size,
    prints,
    metadata,
    problem: text(record(item['error'])['message']),
  };
}

/** The namespace around a namespace: `a:1|b:2` is in `a:1`, and that in the root. */
export function outerNamespace(ns: string): string {
  return ns.includes('|') ? ns.slice(0, ns.lastIndexOf('|')) : '';
}

/** The nodes of a namespace, without LangGraph's task ids: `outer:1|inner:2` reads `outer / inner`. */
export function namespaceName(ns: string): string {
  return ns
    .split('|')
    .map((part) => part.split(':')[0] ?? part)
    .join(' / ');
}

function record(value: unknown): JsonRecord {
  return isRecord(value) ? value : {};
}

function text(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}
