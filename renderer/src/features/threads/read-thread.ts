import { request } from '../../api/client.ts';
import type { ThreadWithValues } from '../../api/generated/types.gen.ts';
import { jsonCall, openJson, type JsonDocument } from '../../ui/json/json-client.ts';
import type { OutlineEntry } from '../../ui/json/json-outline-entries.ts';
import { WORKER_SIZE } from '../../ui/json/json-size.ts';

/** A thread with its values, and how large the answer was. */
export interface ReadThread {
  /** Of a large one without the large values, but for messages: their keys are there, with nothing. */
  readonly thread: ThreadWithValues;
  readonly size: number;
  /** Where all values of a large one are. */
  readonly whole?: WholeValues;
}

/** The values of a thread, held by the JSON worker. */
export interface WholeValues {
  readonly document: JsonDocument;
  readonly outline: OutlineEntry;
}

/** What the page of a thread shows of its values without being asked for. */
const shown = ['messages'];
/** So many answers stay in the worker's memory: those that may still be shown. */
const kept = 3;
const documents: JsonDocument[] = [];

/** Reads a thread. A large answer is parsed by the worker: it would hold the page up. */
export async function readThread(threadId: string, signal: AbortSignal): Promise<ReadThread> {
  const answer = await request(`/threads/${encodeURIComponent(threadId)}`, { signal });
  const bytes = await answer.arrayBuffer();
  const size = bytes.byteLength;
  if (size <= WORKER_SIZE) {
    // The service's own answer, in the form of its OpenAPI document.
    return { thread: JSON.parse(new TextDecoder().decode(bytes)) as ThreadWithValues, size };
  }
  const document = await openJson({ bytes });
  documents.push(document);
  if (documents.length > kept) documents.shift()?.close();
  const [thread, outline] = await Promise.all([
    jsonCall('lean', [document.id, 'values', shown]),
    jsonCall('outline', [document.id, ['values']]),
  ]);
  return { thread: thread as ThreadWithValues, size, whole: { document, outline } }; // as above
}

/** The thread with all of its values. */
export async function withWholeValues({ thread, whole }: ReadThread): Promise<ThreadWithValues> {
  if (whole === undefined) return thread;
  const values = await jsonCall('value', [whole.document.id, whole.outline.path]);
  return { ...thread, values: values as ThreadWithValues['values'] }; // they were taken from a thread
}
