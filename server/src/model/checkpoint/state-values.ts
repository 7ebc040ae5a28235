import { fromBytes, toBytes } from '../frame.ts';
import { jsonText, type JsonText } from '../json.ts';

/** Which states of a thread are requested. */
export interface StateQuestion {
  ns: string;
  /** Absent: the head of the namespace. */
  checkpointId?: string;
  /** Tasks with the states of their sub-graphs. */
  subgraphs?: boolean;
  /** Absent: one state. Otherwise at most `limit` states of the namespace, newest first. */
  history?: { limit: number; beforeId?: string };
  /** Equality on metadata keys. */
  filter?: Record<string, unknown>;
}

/** LangGraph starts a node by a value in the channel with this prefix; emptied channels are not retained. */
const TRIGGER = 'branch:to:';

/** The nodes that run next from a checkpoint, by its channels; nodes that a Send starts are not included. */
export function nextNodes(versions: Readonly<Record<string, string>>): string[] {
  return Object.keys(versions)
    .filter((channel) => channel.startsWith(TRIGGER))
    .map((channel) => channel.slice(TRIGGER.length));
}

const OPENING_BRACE = 123;

/** One member of a state: a channel and its JSON document in UTF-8. */
export interface ChannelJson {
  channel: string;
  json: Uint8Array;
}

/**
 * The `values` object of a state in parts, so that a state of many MiB is neither copied nor parsed on its way to a
 * client. `whole`: a graph without its own channels has its state in one document.
 */
export type StateValues =
  { kind: 'members'; members: readonly ChannelJson[] } | { kind: 'whole'; json: Uint8Array };

/** A state without values. */
export const noValues: StateValues = { kind: 'members', members: [] };

/** A state whose values are one document. */
export function wholeValues(text: JsonText): StateValues {
  return { kind: 'whole', json: toBytes(text) };
}

/** Whether a state is an object by itself: the whole state of an entrypoint may be any JSON. */
export function isObjectState(values: StateValues): boolean {
  return values.kind === 'members' || values.json[0] === OPENING_BRACE;
}

/**
 * The `values` object in pieces: written one after the other they are the document. A whole state that is not an object
 * (an entrypoint returned a text) becomes its member `value`. Spec: State, `values` is an object.
 */
export function* valuesPieces(values: StateValues): Generator<string | Uint8Array> {
  if (values.kind === 'whole') {
    const isObject = isObjectState(values);
    if (!isObject) yield '{"value":';
    yield values.json;
    if (!isObject) yield '}';
    return;
  }
  let separator = '{';
  for (const { channel, json } of values.members) {
    yield `${separator}${JSON.stringify(channel)}:`;
    yield json;
    separator = ',';
  }
  yield values.members.length === 0 ? '{}' : '}';
}

/** The `values` object as one text. For small states, and for callers that need text. */
export function valuesText(values: StateValues): JsonText {
  let text = '';
  for (const piece of valuesPieces(values)) {
    text += typeof piece === 'string' ? piece : fromBytes(piece);
  }
  return jsonText(text);
}

/** The state as LangGraph itself shows it: a whole state is any JSON. */
export function plainValuesText(values: StateValues): JsonText {
  return values.kind === 'whole' ? jsonText(fromBytes(values.json)) : valuesText(values);
}
