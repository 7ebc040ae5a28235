import { request } from '../../api/client.ts';
import type { ThreadWithValues } from '../../api/generated/types.gen.ts';
import { jsonCall, openJson, type JsonDocument } from '../../ui/json/json-client.ts';
import type { OutlineEntry } from '../../ui/json/json-outline-entries.ts';
import { WORKER_SIZE } from '../../ui/json/json-size.ts';

/** A thread with its values, and the size of the response. */
export interface ReadThread {
  /** A large one has no large values except messages: their keys exist, without values. */
  readonly thread: ThreadWithValues;
  readonly size: number;
  /** All values of a large one. */
  readonly whole?: WholeValues;
}

/** The values of a thread in the JSON worker. */
export interface WholeValues {
  readonly document: JsonDocument;
  readonly outline: OutlineEntry;
}

/** The values that the page of a thread always shows. */
const shown = ['messages'];
/** How many documents stay in the worker's memory: those that may still be shown. */
const maxDocuments = 3;
const documents: JsonDocument[] = [];

/** Reads a thread. A large response is parsed by the worker: it would block the page. */
export async function readThread(threadId: string, signal: AbortSignal): Promise<ReadThread> {
  const response = await request(`/threads/${encodeURIComponent(threadId)}`, { signal });
  const bytes = await response.arrayBuffer();
  const size = bytes.byteLength;
  if (size <= WORKER_SIZE) {
    // The service's own response, in the form of its OpenAPI document.
    return { thread: JSON.parse(new TextDecoder().decode(bytes)) as ThreadWithValues, size };
  }
  const document = await openJson({ bytes });
  documents.push(document);
  if (documents.length > maxDocuments) documents.shift()?.close();
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
