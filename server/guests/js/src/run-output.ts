import { projectInterrupts, visibleInterrupt } from './checkpoint-codec.ts';
import { GuestError } from './guest-error.ts';
import { projectJson } from './json-projection.ts';
import { taskEvent } from './task-event.ts';
import type { Chunk } from './wire.ts';

const interruptKey = '__interrupt__';

/** Follows a run's stream: makes the chunks that clients get, and in the end what invoke would have returned. */
export interface RunOutput {
  /** The chunk for the clients; undefined when its mode was not requested. */
  take(ns: string[], mode: string, payload: unknown): Chunk | undefined;
  /** The chunk for one of LangChain's events. */
  event(event: unknown): Chunk;
  finish(): { isInterrupted: boolean; outputJson: string; interruptsJson: string };
}

/** Opens the record of one run. `outputChannels` are the graph's: the run's output has only these. */
export function openRunOutput(options: {
  outputChannels: string | string[];
  wantedModes: ReadonlySet<string>;
  /** What tasks threw, by their id. */
  taskErrors: ReadonlyMap<string, string>;
  maxMessageBytes: number;
}): RunOutput {
  const { outputChannels, wantedModes, taskErrors, maxMessageBytes } = options;
  const states = new Map<string, unknown>();
  const interrupts: { id: unknown; value: unknown }[] = [];
  let isInterrupted = false;

  const noteInterrupts = (found: unknown[]): void => {
    isInterrupted = true;
    for (const interrupt of found.map(visibleInterrupt)) {
      const isKnown = interrupt.id !== null && interrupts.some(({ id }) => id === interrupt.id);
      if (!isKnown) interrupts.push(interrupt);
    }
  };

  /** LangGraph.js sends interrupts as a chunk without the state; clients get both, as from Python. */
  const valuesOf = (ns: string, payload: unknown): unknown => {
    const found = interruptsIn(payload);
    if (found === undefined) {
      states.set(ns, payload);
      return payload;
    }
    if (ns === '') noteInterrupts(found);
    const all = ns === '' ? interrupts : found.map(visibleInterrupt);
    const state = states.get(ns);
    return isRecord(state) ? { ...state, [interruptKey]: all } : { [interruptKey]: all };
  };

  const dataOf = (ns: string, mode: string, payload: unknown): unknown => {
    if (mode === 'values') return valuesOf(ns, payload);
    if (mode === 'messages' && Array.isArray(payload)) {
      return { message: payload[0] as unknown, metadata: payload[1] as unknown }; // a pair
    }
    if (mode === 'tasks' && isRecord(payload)) return taskEvent(payload, taskErrors);
    if (mode === 'checkpoints') return withoutCallbacks(payload);
    if (mode === 'debug' && isRecord(payload)) {
      return { ...payload, payload: withoutCallbacks(payload['payload']) };
    }
    if (mode === 'custom') return isRecord(payload) ? payload : { value: payload };
    const found = mode === 'updates' ? interruptsIn(payload) : undefined;
    return found === undefined ? payload : { [interruptKey]: found.map(visibleInterrupt) };
  };

  return {
    take(namespace, mode, payload) {
      // Messages come with the namespace of the node, everything else with that of its graph.
      const ns = (mode === 'messages' ? namespace.slice(0, -1) : namespace).join('|');
      const data = dataOf(ns, mode, payload);
      if (!wantedModes.has(mode)) return undefined;
      return { mode, ns, json: fitting(projectJson(data), `a ${mode} event`, maxMessageBytes) };
    },
    event(event) {
      const json = fitting(projectJson(event), 'an event', maxMessageBytes);
      return { mode: 'events', ns: '', json };
    },
    finish() {
      const output = pick(states.get(''), outputChannels);
      const shown = isInterrupted
        ? { ...(isRecord(output) ? output : {}), [interruptKey]: interrupts }
        : output;
      return {
        isInterrupted,
        outputJson: fitting(projectJson(shown), 'the output', maxMessageBytes),
        interruptsJson: isInterrupted ? projectInterrupts(interrupts) : '',
      };
    },
  };
}

/** LangGraph.js streams a checkpoint with all of the run's config, our own callbacks among it. */
function withoutCallbacks(checkpoint: unknown): unknown {
  if (!isRecord(checkpoint)) return checkpoint;
  const shown = { ...checkpoint };
  for (const name of ['config', 'parentConfig']) {
    const config = shown[name];
    if (!isRecord(config) || !('callbacks' in config)) continue;
    const { callbacks: _, ...rest } = config;
    shown[name] = rest;
  }
  return shown;
}

/** The text, if it fits into one message. */
function fitting(json: string, what: string, limit: number): string {
  // UTF-8 takes at most three bytes for each unit of a string.
  if (json.length * 3 <= limit || Buffer.byteLength(json) <= limit) return json;
  const bytes = Buffer.byteLength(json);
  const message = `The JSON of ${what} has ${bytes} bytes; the limit is ${limit} bytes.`;
  throw new GuestError('payload_too_large', message);
}

/** The stream shows every channel of the state; the output is what the graph's output schema has of it. */
function pick(state: unknown, channels: string | string[]): unknown {
  if (!isRecord(state)) return state;
  if (!Array.isArray(channels)) return channels in state ? state[channels] : state;
  return Object.fromEntries(
    channels.filter((channel) => channel in state).map((channel) => [channel, state[channel]]),
  );
}

function interruptsIn(payload: unknown): unknown[] | undefined {
  if (!isRecord(payload) || !Array.isArray(payload[interruptKey])) return undefined;
  return payload[interruptKey];
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
