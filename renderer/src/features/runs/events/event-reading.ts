import type { RunStreamEvent } from '../../../api/run-stream.ts';
import { isRecord, textOf } from '../../../api/json-record.ts';

/** What a row of the list shows of an event. */
export interface EventReading {
  readonly node: string;
  readonly preview: string;
  /** A node or a call that failed. */
  readonly isFailure?: boolean;
}

const previewLength = 240;
/** Payloads up to it are parsed for their row; of larger ones only the first characters are read. */
const parsedLength = 16 * 1024;
const firstKey = /^\s*\{\s*"((?:[^"\\]|\\.)*)"\s*:/;

const readings = new WeakMap<RunStreamEvent, EventReading>();

/** Reads node and preview of an event, once and only when its row is shown. */
export function readEvent(event: RunStreamEvent): EventReading {
  const known = readings.get(event);
  if (known !== undefined) return known;
  const reading = event.isDropped
    ? { node: '', preview: 'dropped to bound the memory' }
    : read(event);
  readings.set(event, reading);
  return reading;
}

/** The parsed payload; undefined when it is not JSON or was dropped. */
export function parseEvent(event: RunStreamEvent): unknown {
  if (event.isDropped) return undefined;
  try {
    return JSON.parse(event.data);
  } catch {
    return undefined;
  }
}

function read(event: RunStreamEvent): EventReading {
  const { type, data, size } = event;
  const start = data.slice(0, previewLength);
  if (type === 'values' || type === 'custom') return { node: '', preview: start };
  if (type === 'updates') return readUpdate(size > 320 ? data.slice(0, 320) : data.slice(0, -1));
  if (size > parsedLength && type !== 'tasks' && type !== 'calls')
    return { node: '', preview: start };
  const payload = parseEvent(event);
  if (!isRecord(payload)) return { node: '', preview: start };
  switch (type) {
    case 'messages':
      return readMessage(payload);
    case 'tasks':
      return {
        node: textOf(payload, 'name') ?? '',
        preview: taskSentence(payload),
        ...failing(payload),
      };
    case 'calls':
      return {
        node: textOf(payload, 'node') ?? '',
        preview: callSentence(payload),
        ...failing(payload),
      };
    case 'error':
      return { node: '', preview: textOf(payload, 'error') ?? start };
    default:
      return { node: '', preview: start === '{}' ? '' : start };
  }
}

function failing(payload: Record<string, unknown>): Pick<EventReading, 'isFailure'> {
  return textOf(payload, 'error') === undefined ? {} : { isFailure: true };
}

/** `{node: delta}`: the first key is the node, the rest what it wrote. */
function readUpdate(start: string): EventReading {
  const found = firstKey.exec(start);
  if (found?.[1] === undefined) return { node: '', preview: start };
  const rest = start.slice(found[0].length).trim();
  if (found[1] === '__interrupt__') return { node: '', preview: `asks ${rest}` };
  return { node: found[1], preview: rest.slice(0, previewLength) };
}

function readMessage(payload: Record<string, unknown>): EventReading {
  const metadata = isRecord(payload['metadata']) ? payload['metadata'] : {};
  const message = isRecord(payload['message']) ? payload['message'] : {};
  const calls = JSON.stringify(message['tool_calls'] ?? []);
  const text = contentText(message['content']);
  const preview = text === '' && calls !== '[]' ? `calls ${calls}` : JSON.stringify(text);
  return {
    node: textOf(metadata, 'langgraph_node') ?? '',
    preview: preview.slice(0, previewLength),
  };
}

/** The text of a message's content, which may have parts. */
export function contentText(content: unknown): string {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return '';
  return content
    .map((part: unknown) => {
      if (typeof part === 'string') return part;
      return isRecord(part) ? (textOf(part, 'text') ?? '') : '';
    })
    .join('');
}

function taskSentence(payload: Record<string, unknown>): string {
  if (payload['event'] === 'start') return `starts ${brief(payload['input'])}`;
  const error = textOf(payload, 'error');
  if (error !== undefined) return `fails ${error}`;
  const questions = Array.isArray(payload['interrupts']) ? payload['interrupts'].length : 0;
  return questions > 0 ? 'waits for an answer' : `ends ${brief(payload['result'])}`;
}

function callSentence(payload: Record<string, unknown>): string {
  const name = textOf(payload, 'model') ?? textOf(payload, 'name') ?? '';
  const what = `${payload['kind'] === 'tool' ? 'tool' : 'model'} ${name}`;
  if (payload['event'] === 'start') return `${what} ${brief(payload['input'])}`;
  if (payload['event'] === 'delta') return `${what} streams ${brief(payload['delta'])}`;
  const error = textOf(payload, 'error');
  if (error !== undefined) return `${what} fails ${error}`;
  const ms = Math.round(Number(payload['latency_ms'] ?? 0));
  return `${what} returns after ${ms} ms ${brief(payload['output'])}`;
}

function brief(value: unknown): string {
  return value === undefined ? '' : JSON.stringify(value).slice(0, previewLength);
}
