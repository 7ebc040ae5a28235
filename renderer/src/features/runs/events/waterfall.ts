import type { RunStreamEvent } from '../../../api/run-stream.ts';
import { parseEvent } from './event-reading.ts';
import { isRecord, numberOf, textOf } from '../../../api/json-record.ts';

export type BarState = 'running' | 'done' | 'error' | 'interrupted' | 'cut';

/** One time that a node ran, or one call of a model or tool. */
export interface Bar {
  readonly id: string;
  readonly start: number;
  readonly end: number | undefined;
  readonly state: BarState;
  readonly error: string | undefined;
  /** The rows of its start and its end. */
  readonly seq: number;
  readonly endSeq: number | undefined;
  readonly tokens: { readonly input: number; readonly output: number } | undefined;
  /** Known from `updates` alone: it ended then, and started after the previous one. */
  readonly isApproximate: boolean;
}

export interface Lane {
  /** The node's path over sub-graphs, and the call's name. */
  readonly key: string;
  readonly label: string;
  readonly kind: 'node' | 'model' | 'tool';
  readonly depth: number;
  readonly bars: readonly Bar[];
}

export interface Restart {
  readonly at: number;
  readonly attempt: number;
  readonly lastFailure: string | undefined;
}

interface GrowingLane extends Lane {
  readonly bars: Bar[];
}

/** The time per node of a run, folded from its events one after the other. */
export interface Waterfall {
  take(event: RunStreamEvent): void;
  /** In order of first appearance, what belongs to a node below it. */
  lanes(): readonly Lane[];
  readonly restarts: readonly Restart[];
  readonly begin: number | undefined;
  readonly latest: number | undefined;
  /** True once tasks contained times; otherwise bars are estimated from `updates`. */
  readonly isExact: boolean;
}

/** `section:7461…|draft:deae…` as `section/draft`. */
export function nodePath(ns: string): string {
  return ns
    .split('|')
    .map((part) => part.split(':', 1)[0] ?? '')
    .filter((part) => part !== '')
    .join('/');
}

/** Makes an empty waterfall. */
export function createWaterfall(): Waterfall {
  const lanes = new Map<string, GrowingLane>();
  const open = new Map<string, { lane: GrowingLane; index: number }>();
  const restarts: Restart[] = [];
  let begin: number | undefined;
  let latest: number | undefined;
  let isExact = false;
  let lastUpdate: number | undefined;

  function laneOf(key: string, kind: Lane['kind']): GrowingLane {
    const known = lanes.get(key);
    if (known !== undefined) return known;
    const parts = key.split('/');
    const lane = { key, label: parts.at(-1) ?? key, kind, depth: parts.length - 1, bars: [] };
    lanes.set(key, lane);
    return lane;
  }

  function start(id: string, lane: GrowingLane, bar: Pick<Bar, 'start' | 'seq'>): void {
    open.set(id, { lane, index: lane.bars.length });
    lane.bars.push({
      ...bar,
      id,
      end: undefined,
      state: 'running',
      error: undefined,
      endSeq: undefined,
      tokens: undefined,
      isApproximate: false,
    });
  }

  function end(id: string, change: Partial<Bar>): void {
    const position = open.get(id);
    const bar = position?.lane.bars[position.index];
    if (position === undefined || bar === undefined) return;
    open.delete(id);
    position.lane.bars[position.index] = { ...bar, ...change };
  }

  function endAll(state: BarState, at: number): void {
    for (const id of open.keys()) end(id, { end: at, state });
  }

  function takeTask(payload: Record<string, unknown>, event: RunStreamEvent, at: number): void {
    const id = textOf(payload, 'id') ?? '';
    const name = textOf(payload, 'name') ?? '';
    if (payload['event'] === 'start') {
      if (!isExact) forgetGuesses();
      isExact = true;
      const key = [nodePath(event.ns), name].filter((part) => part !== '').join('/');
      start(id, laneOf(key, 'node'), { start: at, seq: event.seq });
      return;
    }
    const error = textOf(payload, 'error');
    const isAsking = Array.isArray(payload['interrupts']) && payload['interrupts'].length > 0;
    const state = error === undefined ? (isAsking ? 'interrupted' : 'done') : 'error';
    end(id, { end: at, state, error, endSeq: event.seq });
  }

  function takeCall(payload: Record<string, unknown>, event: RunStreamEvent, at: number): void {
    const id = `call:${textOf(payload, 'id') ?? ''}`;
    if (payload['event'] === 'start') {
      const kind = payload['kind'] === 'tool' ? 'tool' : 'model';
      const name = textOf(payload, 'model') ?? textOf(payload, 'name') ?? kind;
      const node = nodePath(textOf(payload, 'ns') ?? '') || (textOf(payload, 'node') ?? '');
      const key = `${node}/${name.replaceAll('/', '∕')}`;
      start(id, laneOf(key, kind), { start: at, seq: event.seq });
      return;
    }
    // A tool that streams its output goes on.
    if (payload['event'] === 'delta') return;
    const error = textOf(payload, 'error');
    const state = error === undefined ? 'done' : 'error';
    end(id, { end: at, state, error, endSeq: event.seq, tokens: tokensOf(payload['usage']) });
  }

  function takeUpdate(event: RunStreamEvent, at: number): void {
    const payload = event.size < 64 * 1024 ? parseEvent(event) : undefined;
    if (!isRecord(payload)) return;
    for (const node of Object.keys(payload)) {
      if (node === '__interrupt__') continue;
      const key = [nodePath(event.ns), node].filter((part) => part !== '').join('/');
      laneOf(key, 'node').bars.push({
        id: `update:${event.seq}`,
        start: lastUpdate ?? at,
        end: at,
        state: 'done',
        error: undefined,
        seq: event.seq,
        endSeq: event.seq,
        tokens: undefined,
        isApproximate: true,
      });
    }
    lastUpdate = at;
  }

  function forgetGuesses(): void {
    for (const lane of lanes.values()) {
      if (lane.bars.every(({ isApproximate }) => isApproximate)) lanes.delete(lane.key);
    }
  }

  return {
    take(event) {
      const { at, type } = event;
      if (at === undefined) return;
      begin = Math.min(begin ?? at, at);
      latest = Math.max(latest ?? at, at);
      lastUpdate ??= at;
      if (type === 'updates' && !isExact) takeUpdate(event, at);
      if (type === 'done' || type === 'error') endAll(type === 'error' ? 'error' : 'cut', at);
      if (type !== 'tasks' && type !== 'calls' && type !== 'lifecycle' && type !== 'restart')
        return;
      const payload = parseEvent(event);
      if (!isRecord(payload)) return;
      const time = processTime(payload) ?? at;
      begin = Math.min(begin, time);
      if (type === 'tasks') takeTask(payload, event, time);
      else if (type === 'calls') takeCall(payload, event, time);
      else takeAttempt(payload, time);
    },
    lanes: () => inOrder([...lanes.values()]),
    restarts,
    get begin() {
      return begin;
    },
    get latest() {
      return latest;
    },
    get isExact() {
      return isExact;
    },
  };

  function takeAttempt(payload: Record<string, unknown>, at: number): void {
    const attempt = numberOf(payload, 'attempt') ?? 1;
    if (attempt <= 1) return;
    const lastFailure = textOf(payload, 'last_failure');
    // At a continue-as-new the same guest continues its work.
    if (lastFailure !== 'CAN') endAll('cut', at);
    restarts.push({ at, attempt, lastFailure });
  }
}

/** The time of the agent's process: more exact than when the service received it. */
function processTime({ ts }: Record<string, unknown>): number | undefined {
  const at = typeof ts === 'string' ? Date.parse(ts) : Number.NaN;
  return Number.isNaN(at) ? undefined : at;
}

/** Every lane followed by those below it, in order of first appearance. */
function inOrder(lanes: readonly GrowingLane[]): readonly Lane[] {
  const below = new Map<string, GrowingLane[]>();
  const keys = new Set(lanes.map(({ key }) => key));
  for (const lane of lanes) {
    const parent = lane.key.slice(0, Math.max(lane.key.lastIndexOf('/'), 0));
    const under = keys.has(parent) ? parent : '';
    below.set(under, [...(below.get(under) ?? []), lane]);
  }
  const walk = (under: string): GrowingLane[] =>
    (below.get(under) ?? []).flatMap((lane) => [lane, ...walk(lane.key)]);
  return walk('');
}

function tokensOf(usage: unknown): Bar['tokens'] {
  if (!isRecord(usage)) return undefined;
  const input = numberOf(usage, 'input_tokens') ?? numberOf(usage, 'prompt_tokens');
  const output = numberOf(usage, 'output_tokens') ?? numberOf(usage, 'completion_tokens');
  return input === undefined && output === undefined
    ? undefined
    : { input: input ?? 0, output: output ?? 0 };
}
