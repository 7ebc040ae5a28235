/*
 * LangGraph's streaming protocol of threads (github.com/langchain-ai/agent-protocol, streaming/protocol.cddl 0.0.13),
 * which `threads.stream` of its SDKs and `@langchain/react` speak. A run is translated from its own event log:
 * `run-frames.ts` makes frames of its events, `thread-frames.ts` follows the runs of a thread, `subscription.ts` is what
 * a reader wants of them. `event-routes.ts` writes them as server-sent events, `socket.ts` on a WebSocket;
 * `commands.ts` is what a client sends.
 */
import { type JsonText, jsonText, toJsonText } from '../../../model/json.ts';

/** The methods of events, in the words of the protocol. */
export type FrameMethod =
  | 'lifecycle'
  | 'messages'
  | 'tools'
  | 'input.requested'
  | 'values'
  | 'updates'
  | 'checkpoints'
  | 'custom'
  | 'tasks';

/** One event of a thread, before a reader's stream numbers it. */
export interface RunFrame {
  /** Unique on the thread: the same event has the same id on every stream. */
  eventId: string;
  method: FrameMethod;
  /** The name of a custom event, which is a channel of its own. */
  name?: string;
  namespace: readonly string[];
  node?: string;
  /** When it happened, in milliseconds since 1970. */
  at: number;
  data: JsonText;
}

/** An event as a reader gets it: `seq` only grows on one stream, and `since` of a later stream continues from it. */
export interface Frame extends RunFrame {
  seq: number;
}

/** The channel that a reader subscribes to for this event. */
export function channelOf({ method, name }: Pick<RunFrame, 'method' | 'name'>): string {
  if (method === 'input.requested') return 'input';
  return method === 'custom' && name !== undefined ? `custom:${name}` : method;
}

/** The event as it is sent. */
export function frameText(frame: Frame): JsonText {
  const { eventId, seq, method, namespace, node, at, data } = frame;
  const params = [
    `"namespace":${toJsonText(namespace)}`,
    `"timestamp":${at}`,
    ...(node === undefined ? [] : [`"node":${toJsonText(node)}`]),
    `"data":${data}`,
  ].join(',');
  const head = `"type":"event","event_id":${toJsonText(eventId)},"seq":${seq},"method":"${method}"`;
  return jsonText(`{${head},"params":{${params}}}`);
}

/** `seq` counts from 2025-01-01, so that it stays a safe integer until 2042. */
const EPOCH_MS = Date.UTC(2025, 0, 1);
const PER_MS = 2 ** 14;

/** The first `seq` of a millisecond: events of later milliseconds have higher ones, over runs and restarts. */
export function seqAt(atMs: number): number {
  return Math.max(0, Math.floor(atMs) - EPOCH_MS) * PER_MS;
}

/** Numbers the events of one stream. The same event has the same number on all streams that read its run whole. */
export function createNumbering(): (frame: RunFrame) => Frame {
  let last = -1;
  return (frame) => {
    last = Math.max(last + 1, seqAt(frame.at));
    return { ...frame, seq: last };
  };
}
