import { openDocuments, type JsonOperations, type JsonSource } from './json-documents.ts';
import type { OutlineEntry } from './json-outline-entries.ts';
import { handleRequest, type JsonRequest, type JsonResponse } from './json-protocol.ts';

/** A document that the worker keeps until it is closed. */
export interface JsonDocument {
  readonly id: number;
  readonly outline: OutlineEntry;
  close(): void;
}

type Operation = keyof JsonOperations;
type Result<Name extends Operation> = ReturnType<JsonOperations[Name]>;

interface Waiting {
  resolve(result: unknown): void;
  reject(error: Error): void;
}

type Post = (request: JsonRequest, transfer: Transferable[]) => void;

const waiting = new Map<number, Waiting>();
let post: Post | undefined;
let lastCall = 0;
let lastDocument = 0;

/** Starts the worker with the first large value; without workers (tests) the page does its work. */
function connect(): Post {
  if (typeof Worker === 'undefined') {
    const documents = openDocuments();
    return (request) => queueMicrotask(() => settle(handleRequest(documents, request)));
  }
  const worker = new Worker(new URL('./json.worker.ts', import.meta.url), { type: 'module' });
  worker.addEventListener('message', (event: MessageEvent<JsonResponse>) => settle(event.data));
  worker.addEventListener('error', (event) => {
    for (const { reject } of waiting.values())
      reject(new Error(`The JSON worker failed: ${event.message}`));
    waiting.clear();
    post = undefined;
  });
  return (request, transfer) => worker.postMessage(request, transfer);
}

function settle({ call, result, error }: JsonResponse): void {
  const caller = waiting.get(call);
  waiting.delete(call);
  if (error === undefined) caller?.resolve(result);
  else caller?.reject(new Error(error));
}

/** Runs one operation in the worker. */
export async function jsonCall<Name extends Operation>(
  name: Name,
  parameters: Parameters<JsonOperations[Name]>,
  transfer: Transferable[] = [],
): Promise<Result<Name>> {
  post ??= connect();
  const send = post;
  return new Promise((resolve, reject) => {
    const call = ++lastCall;
    // The worker's result for this call is that of the operation of this name.
    waiting.set(call, { resolve: (result) => resolve(result as Result<Name>), reject });
    // Name and parameters belong together by this function's own type.
    send({ call, name, parameters } as JsonRequest, transfer);
  });
}

/** Parses a value in the worker. Bytes are transferred: the caller cannot use them afterwards. */
export async function openJson(source: JsonSource): Promise<JsonDocument> {
  const id = ++lastDocument;
  const transfer = 'bytes' in source ? [source.bytes] : [];
  const outline = await jsonCall('open', [id, source], transfer);
  return { id, outline, close: () => void jsonCall('close', [id]).catch(() => undefined) };
}
