import { type JsonText, jsonText, toJsonText } from '../../model/json.ts';
import type { RunEvent } from '../../streams/port.ts';
import { scanObject } from '../response/raw-members.ts';
import { openMessageLog } from './message-log.ts';
import type { CompatMode } from './run-body.ts';

/** An event as LangGraph Server sends it. */
export interface CompatEvent {
  name: string;
  data: JsonText;
}

/** Translates the events of one run, in their order, for one reader. */
export type Translation = (event: RunEvent) => CompatEvent[];

/** A translation for the requested modes; undefined requests everything that the run streams. */
export function openTranslation(modes: ReadonlySet<CompatMode> | undefined): Translation {
  const wants = (mode: CompatMode): boolean => modes === undefined || modes.has(mode);
  const log = openMessageLog();

  /** When both names of the mode are requested, LangGraph Server sends pairs. */
  const messages = ({ ns, data }: RunEvent): CompatEvent[] => {
    const { members } = scanObject(data);
    const message = members.get('message') ?? jsonText('null');
    const metadata = members.get('metadata') ?? jsonText('{}');
    if (wants('messages-tuple')) {
      return [{ name: named('messages', ns), data: jsonText(`[${message},${metadata}]`) }];
    }
    if (!wants('messages')) return [];
    const part = JSON.parse(message) as Record<string, unknown>; // LangChain's messages are objects
    return log.take(part, JSON.parse(metadata)).map(({ kind, data: chunk }) => ({
      name: named(`messages/${kind}`, ns),
      data: toJsonText(chunk),
    }));
  };

  return (event) => {
    const { mode, ns, data } = event;
    switch (mode) {
      case 'messages':
        return messages(event);
      case 'values':
      case 'updates':
      case 'custom':
      case 'tasks':
      case 'events':
        return wants(mode) ? [{ name: named(mode, ns), data }] : [];
      case 'checkpoints':
        return wants(mode) ? [{ name: named(mode, ns), data: withCheckpoints(data) }] : [];
      case 'debug':
        return wants(mode) ? [{ name: named(mode, ns), data: withDebugCheckpoint(data) }] : [];
      default:
        return []; // modes without a name in LangGraph Server
    }
  };
}

/** A node's name may contain line breaks; an event's name must be one line. */
function named(mode: string, ns: string): string {
  return (ns === '' ? mode : `${mode}|${ns}`).replaceAll(/[\r\n]/g, ' ');
}

/** LangGraph names checkpoints by configs, its server by checkpoint references. */
function withCheckpoints(data: JsonText): JsonText {
  const { members } = scanObject(data);
  const {
    config,
    parentConfig, // LangGraph.js
    parent_config: parent = parentConfig,
  } = JSON.parse(data) as Record<string, unknown>; // an object in this mode
  members.set('checkpoint', toJsonText(checkpointReferenceOf(config)));
  members.set('parent_checkpoint', toJsonText(checkpointReferenceOf(parent)));
  const names = ['config', 'parent_config', 'parentConfig'];
  const kept = [...members].filter(([name]) => !names.includes(name));
  return jsonText(`{${kept.map(([name, text]) => `${JSON.stringify(name)}:${text}`).join(',')}}`);
}

function withDebugCheckpoint(data: JsonText): JsonText {
  const { members } = scanObject(data);
  const payload = members.get('payload');
  if (members.get('type') !== '"checkpoint"' || payload === undefined) return data;
  members.set('payload', withCheckpoints(payload));
  const texts = [...members].map(([name, text]) => `${JSON.stringify(name)}:${text}`);
  return jsonText(`{${texts.join(',')}}`);
}

function checkpointReferenceOf(config: unknown): object | null {
  const { configurable } = (config ?? {}) as { configurable?: Record<string, unknown> }; // a LangGraph config
  if (configurable === undefined) return null;
  const { thread_id, checkpoint_ns = '', checkpoint_id, checkpoint_map } = configurable;
  return { thread_id, checkpoint_ns, checkpoint_id, checkpoint_map };
}
