import { useEffect, useState } from 'react';
import { jsonCall, openJson, type JsonDocument } from './json-client.ts';
import type { ChangeList } from './json-documents.ts';

export interface JsonDiffContent extends ChangeList {
  readonly before: JsonDocument;
  readonly after: JsonDocument;
}

export type JsonDiffState =
  | { readonly state: 'loading' }
  | { readonly state: 'failed'; readonly message: string }
  | ({ readonly state: 'ready' } & JsonDiffContent);

/** Compares two values in the worker; the last result is kept until the next one. */
export function useJsonDiff(
  before: unknown,
  after: unknown,
  documents: readonly [JsonDocument, JsonDocument] | undefined,
): JsonDiffState {
  const [state, setState] = useState<JsonDiffState>({ state: 'loading' });
  const [given, other] = documents ?? [];

  useEffect(() => {
    let isCurrent = true;
    const own: JsonDocument[] = [];
    const open = async (value: unknown): Promise<JsonDocument> => {
      const document = await openJson({ value });
      if (isCurrent) own.push(document);
      else document.close();
      return document;
    };
    const compare = async (): Promise<void> => {
      const [first, second] = await Promise.all([given ?? open(before), other ?? open(after)]);
      if (!isCurrent) return;
      const list = await jsonCall('diff', [first.id, second.id]);
      if (isCurrent) setState({ state: 'ready', before: first, after: second, ...list });
    };
    compare().catch((error: unknown) => {
      if (isCurrent) setState({ state: 'failed', message: String(error) });
    });
    return () => {
      isCurrent = false;
      for (const document of own) document.close();
    };
  }, [before, after, given, other]);

  return state;
}
