import { type JsonText, jsonText, toJsonText } from '../../model/json.ts';
import type { RunEvent } from '../../streams/port.ts';
import { objectOf, scanObject } from '../response/raw-members.ts';
import { openMessageLog } from './message-log.ts';
import type { CompatMode } from './run-body.ts';

/** An event as LangGraph Server sends it. */
export interface CompatEvent {
  name: string;
  data: JsonText;
}

/** Translates the events of one run, in their order, for one reader. */
export type Translation = (event: RunEvent) => CompatEvent[];

/** For whom events are translated. */
export interface Translated {
  /** Undefined requests everything that the run streams. */
  modes: ReadonlySet<CompatMode> | undefined;
  /** LangGraph's server for JavaScript streams some modes in another form. */
  isJavaScript: boolean;
}

/** A translation for the requested modes. */
export function openTranslation({ modes, isJavaScript }: Translated): Translation {
  const wants = (mode: CompatMode): boolean => modes === undefined || modes.has(mode);
  const log = openMessageLog({ isFromStates: isJavaScript });
  const logs = (): boolean => wants('messages') && !wants('messages-tuple');
  const logged = ({ kind, data }: { kind: string; data: unknown }): CompatEvent => ({
    name: `messages/${kind}`,
    data: toJsonText(data),
  });

  /** When both names of the mode are requested, LangGraph Server sends pairs. */
  const messages = ({ ns, data }: RunEvent): CompatEvent[] => {
    const { members } = scanObject(data);
    const message = members.get('message') ?? jsonText('null');
    const metadata = members.get('metadata') ?? jsonText('{}');
    if (wants('messages-tuple')) {
      return [{ name: named('messages', ns), data: jsonText(`[${message},${metadata}]`) }];
    }
    if (!logs()) return [];
    const part = JSON.parse(message) as Record<string, unknown>; // LangChain's messages are objects
    return log.take(part, JSON.parse(metadata)).map(logged);
  };

  const values = ({ mode, ns, data }: RunEvent): CompatEvent[] => {
    if (!isJavaScript) return [{ name: named(mode, ns), data }];
    const shown = wants('values')
      ? [{ name: named(mode, ns), data: withQuestionsAlone(data) }]
      : [];
    const complete = logs() && ns === '' ? log.takeState(JSON.parse(data)) : undefined;
    return complete ? [...shown, logged(complete)] : shown;
  };

  return (event) => {
    const { mode, ns, data } = event;
    switch (mode) {
      case 'messages':
        return messages(event);
      case 'values':
        return isJavaScript || wants('values') ? values(event) : [];
      case 'updates':
      case 'custom':
      case 'events':
        return wants(mode) ? [{ name: named(mode, ns), data }] : [];
      case 'tasks': {
        const shown = isJavaScript ? withNoInterrupts(data) : data;
        return wants(mode) ? [{ name: named(mode, ns), data: shown }] : [];
      }
      case 'checkpoints':
        return wants(mode) ? [{ name: named(mode, ns), data: withCheckpoints(data) }] : [];
      case 'debug':
        return wants(mode) ? [{ name: named(mode, ns), data: withDebugCheckpoint(data) }] : [];
      default:
        return []; // modes without a name in LangGraph Server
    }
  };
}

/** LangGraph.js streams the questions without the state. */
function withQuestionsAlone(data: JsonText): JsonText {
  if (!data.startsWith('{')) return data;
  const questions = scanObject(data).members.get('__interrupt__');
  return questions === undefined ? data : jsonText(`{"__interrupt__":${questions}}`);
}

/** LangGraph.js lists the interrupts of a task at its begin, too. */
function withNoInterrupts(data: JsonText): JsonText {
  const { members } = scanObject(data);
  if (members.get('event') !== '"start"' || members.has('interrupts')) return data;
  return objectOf(members.set('interrupts', jsonText('[]')));
}

/** A node's name may contain line breaks; an event's name must be one line. */
function named(mode: string, ns: string): string {
  return (ns === '' ? mode : `${mode}|${ns}`).replaceAll(/[\r\n]/g, ' ');
}

/** LangGraph names checkpoints by configs, its server by references, too. */
function withCheckpoints(data: JsonText): JsonText {
  const { members } = scanObject(data);
  const {
    config,
    parentConfig, // LangGraph.js
    parent_config: parent = parentConfig,
  } = JSON.parse(data) as Record<string, unknown>; // an object in this mode
  const [checkpoint, parentCheckpoint] = [config, parent].map(checkpointReferenceOf);
  members.delete('parentConfig');
  members.set('config', toJsonText(configOf(checkpoint)));
  members.set('parent_config', toJsonText(configOf(parentCheckpoint)));
  members.set('checkpoint', toJsonText(checkpoint ?? null));
  members.set('parent_checkpoint', toJsonText(parentCheckpoint ?? null));
  return objectOf(members);
}

function withDebugCheckpoint(data: JsonText): JsonText {
  const { members } = scanObject(data);
  const payload = members.get('payload');
  if (members.get('type') !== '"checkpoint"' || payload === undefined) return data;
  return objectOf(members.set('payload', withCheckpoints(payload)));
}

interface CheckpointReference {
  thread_id: unknown;
  checkpoint_ns: unknown;
  checkpoint_id: unknown;
  checkpoint_map: unknown;
}

function checkpointReferenceOf(config: unknown): CheckpointReference | undefined {
  const { configurable } = (config ?? {}) as { configurable?: Record<string, unknown> }; // a LangGraph config
  if (configurable === undefined) return undefined;
  const { thread_id, checkpoint_ns = '', checkpoint_id, checkpoint_map } = configurable;
  return { thread_id, checkpoint_ns, checkpoint_id, checkpoint_map };
}

/** A config that names the checkpoint, and has nothing else of the run's. */
function configOf(checkpoint: CheckpointReference | undefined): object | null {
  if (checkpoint === undefined) return null;
  const { checkpoint_map: map, ...configurable } = checkpoint;
  return { configurable: { ...configurable, ...(map !== undefined && { checkpoint_map: map }) } };
}
