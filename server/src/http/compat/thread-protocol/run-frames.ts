import { isObject, type JsonText, jsonText, toJsonText } from '../../../model/json.ts';
import {
  isSettled,
  type RunStatus,
  type RunView,
  type StreamMode,
} from '../../../model/run/run.ts';
import type { RunEvent } from '../../../streams/port.ts';
import type { Followed } from '../../../threads/run-follower.ts';
import { objectOf, scanObject } from '../../response/raw-members.ts';
import { checkpointOf } from './checkpoint-envelope.ts';
import { concise, isOfModel } from './content-parts.ts';
import type { FrameMethod, RunFrame } from './frame.ts';
import { type MessageEvent, openMessageFrames } from './message-frames.ts';
import { openSubGraphs } from './sub-graphs.ts';
import { toolFrame } from './tool-frames.ts';

/** What runs stream for readers of the protocol: `calls` and `lifecycle` are this service's own modes. */
export const protocolModes: StreamMode[] = [
  ...(['values', 'updates', 'messages', 'custom', 'tasks'] as const),
  ...(['checkpoints', 'calls', 'lifecycle'] as const),
];

/** The protocol's events of one run, for what is followed of it in its order. */
export type RunFrames = (item: Followed) => RunFrame[];

/** A frame without what it has of its source event. */
export interface Made {
  method: FrameMethod;
  namespace?: readonly string[];
  name?: string;
  node?: string | undefined;
  data: JsonText;
}

const lifecycleOf: Partial<Record<RunStatus, string>> = {
  completed: 'completed',
  error: 'failed',
  interrupted: 'interrupted',
  cancelled: 'interrupted',
};

/** Makes the frames of a run. Frames have the same ids for every reader, if the run is read from its start. */
export function openRunFrames(run: RunView): RunFrames {
  const messages = openMessageFrames();
  const subGraphs = openSubGraphs();
  const asked = new Set<string>();
  /** By message: where it came from, for its end. */
  const sources = new Map<string, Pick<Made, 'namespace' | 'node'>>();
  let hasBegun = false;

  const root = (event: string, more: object = {}): Made => ({
    method: 'lifecycle',
    data: toJsonText({ event, graph_name: run.agentId, ...more }),
  });

  const inputs = (namespace: readonly string[], text: JsonText | undefined): Made[] => {
    const questions: unknown = text === undefined ? [] : JSON.parse(text);
    return [questions].flat().flatMap((question: unknown) => {
      if (!isObject(question) || typeof question['id'] !== 'string') return [];
      const { id, value = null } = question;
      if (asked.has(id)) return [];
      asked.add(id);
      // `payload` in the protocol, `value` for LangGraph's Python client.
      const data = toJsonText({ interrupt_id: id, payload: value, value });
      return [{ method: 'input.requested' as const, namespace, data }];
    });
  };

  const messageFrames = (events: MessageEvent[]): Made[] =>
    events.map((event) => {
      const source = sources.get(String(event['id'])) ?? {};
      return { method: 'messages' as const, ...source, data: toJsonText(event) };
    });

  function made({ mode, ns, data }: Pick<RunEvent, 'mode' | 'ns' | 'data'>): Made[] {
    const namespace = namespaceOf(ns);
    switch (mode) {
      case 'values': {
        if (!data.startsWith('{')) return [{ method: 'values', namespace, data }];
        const { members } = scanObject(data);
        const questions = inputs(namespace, members.get('__interrupt__'));
        const isStripped = members.delete('__interrupt__');
        const state = isStripped ? objectOf(members) : data;
        return members.size === 0
          ? questions
          : [...questions, { method: 'values', namespace, data: state }];
      }
      case 'updates':
        return updates(namespace, data, inputs);
      case 'messages': {
        const { message, metadata } = JSON.parse(data) as { message: unknown; metadata: unknown };
        if (!isObject(message) || !isObject(metadata) || !isOfModel(message, metadata)) return [];
        const id = String(message['id']);
        if (!sources.has(id))
          sources.set(id, { namespace, node: textIn(metadata, 'langgraph_node') });
        return messageFrames(messages.take(message, concise(metadata)));
      }
      case 'custom': {
        const value: unknown = JSON.parse(data);
        const name = isObject(value) ? textIn(value, 'name') : undefined;
        const shown = name === undefined ? jsonText(`{"payload":${data}}`) : data;
        return [{ method: 'custom', namespace, data: shown, ...(name !== undefined && { name }) }];
      }
      case 'tasks':
        return [...subGraphs.task(namespace, data), { method: 'tasks', namespace, data }];
      case 'checkpoints':
        return [{ method: 'checkpoints', namespace, data: checkpointOf(data) }];
      case 'calls': {
        const call = JSON.parse(data) as Record<string, unknown>;
        if (call['kind'] === 'tool') return toolFrame(namespace, call);
        const output = call['event'] === 'end' ? call['output'] : undefined;
        return isObject(output) ? messageFrames(messages.end(output['id'])) : [];
      }
      default:
        return [];
    }
  }

  function ended({ status, error }: RunView): Made[] {
    const event = lifecycleOf[status] ?? 'completed';
    const more = error === undefined ? {} : { error: error.message };
    return [
      ...messageFrames(messages.end()),
      ...subGraphs.end(event),
      root(event, event === 'failed' ? more : {}),
    ];
  }

  return (item) => {
    const at = timeOf(item, run);
    const begun = hasBegun ? [] : [framed(root('running'), `${run.runUuid}:running`, at)];
    hasBegun = true;
    const frames = item.kind === 'end' ? ended(item.run) : made(eventOf(item));
    const key = item.kind === 'event' ? String(item.event.id) : `${item.kind}${item.id}`;
    const named = frames.map((one, nth) => framed(one, `${run.runUuid}:${key}.${nth}`, at));
    return [...begun, ...named];
  };
}

/** What replaces lost events is the state after them. */
function eventOf(item: Exclude<Followed, { kind: 'end' }>): Pick<RunEvent, 'mode' | 'ns' | 'data'> {
  return item.kind === 'event' ? item.event : { mode: 'values', ns: '', data: item.values };
}

function timeOf(item: Followed, run: RunView): number {
  if (item.kind === 'end') return item.run.updatedAt;
  if (item.kind === 'event') return item.event.at ?? Date.now();
  // What replaces lost events is later than they were: a reader that had some of them needs it.
  return isSettled(run.status) ? run.updatedAt : Date.now();
}

function framed({ namespace = [], node, ...made }: Made, eventId: string, at: number): RunFrame {
  return { ...made, eventId, namespace, at, ...(node !== undefined && { node }) };
}

/** LangGraph joins the segments of a namespace by `|`. */
function namespaceOf(ns: string): string[] {
  return ns === '' ? [] : ns.split('|');
}

/** One event for each node that has written. */
function updates(
  namespace: readonly string[],
  data: JsonText,
  inputs: (namespace: readonly string[], text: JsonText | undefined) => Made[],
): Made[] {
  return [...scanObject(data).members].flatMap(([node, written]): Made[] => {
    if (node === '__interrupt__') return inputs(namespace, written);
    const values = written.startsWith('{') ? written : `{"value":${written}}`;
    const text = jsonText(`{"node":${toJsonText(node)},"values":${values}}`);
    return [{ method: 'updates', namespace, node, data: text }];
  });
}

function textIn(object: Record<string, unknown>, key: string): string | undefined {
  const value = object[key];
  return typeof value === 'string' && value !== '' ? value : undefined;
}
