import type { JsonOperations } from './json-documents.ts';

type Operation = keyof JsonOperations;

/** One call of an operation, as it is posted to the worker. */
export type JsonRequest = {
  [Name in Operation]: {
    readonly call: number;
    readonly name: Name;
    readonly parameters: Parameters<JsonOperations[Name]>;
  };
}[Operation];

export interface JsonResponse {
  readonly call: number;
  readonly result?: unknown;
  readonly error?: string;
}

/** Runs the operation of a request; a failure is data, because posted errors are not complete. */
export function handleRequest(documents: JsonOperations, request: JsonRequest): JsonResponse {
  try {
    // The request's type pairs every name with its own parameters, which TypeScript cannot follow through a call.
    const operation = documents[request.name] as (...parameters: unknown[]) => unknown;
    return { call: request.call, result: operation(...request.parameters) };
  } catch (error) {
    return { call: request.call, error: error instanceof Error ? error.message : String(error) };
  }
}
