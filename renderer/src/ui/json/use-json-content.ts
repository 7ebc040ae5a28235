import { useEffect, useMemo, useState } from 'react';
import { jsonCall, openJson, type JsonDocument } from './json-client.ts';
import type { JsonSource } from './json-documents.ts';
import type { OutlineEntry } from './json-outline-entries.ts';
import type { JsonPath } from './json-path.ts';
import { isLargerThan, OUTLINE_SIZE, sizeOf, WORKER_SIZE } from './json-size.ts';

/** What a view shows: a value, its text, or a part of a document that the worker already has. */
export interface JsonInput {
  readonly value?: unknown;
  readonly text?: string | undefined;
  readonly document?: Pick<JsonDocument, 'id'> | undefined;
  readonly part?: OutlineEntry | undefined;
}

export type JsonContent =
  | { readonly state: 'loading' }
  | { readonly state: 'failed'; readonly message: string }
  | { readonly state: 'text'; readonly text: string; readonly size: number }
  | {
      readonly state: 'outline';
      readonly document: Pick<JsonDocument, 'id'>;
      readonly root: OutlineEntry;
    };

const loading: JsonContent = { state: 'loading' };
const top: JsonPath = [];

/** The text of a small value at once, of a larger one from the worker; of a large one its outline, at once if it is known. */
export function useJsonContent({ value, text, document, part }: JsonInput): JsonContent {
  const direct = useMemo(
    () =>
      document === undefined ? smallContent(value, text) : part && outlineContent(document, part),
    [value, text, document, part],
  );
  const [loaded, setLoaded] = useState<JsonContent>(loading);
  const id = document?.id;

  useEffect(() => {
    if (direct !== undefined) return undefined;
    let isCurrent = true;
    let own: JsonDocument | undefined;
    const show = async (): Promise<void> => {
      if (id === undefined) {
        own = await openJson(sourceOf(value, text));
        if (!isCurrent) own.close();
      }
      const source = own ?? (id === undefined ? undefined : { id });
      if (source === undefined || !isCurrent) return;
      const root = own?.outline ?? part ?? (await outlineOf(source.id));
      const content = await contentOf(source, root);
      if (isCurrent) setLoaded(content);
    };
    show().catch((error: unknown) => {
      if (isCurrent) setLoaded({ state: 'failed', message: String(error) });
    });
    return () => {
      isCurrent = false;
      own?.close();
    };
  }, [direct, value, text, id, part]);

  return direct ?? loaded;
}

async function outlineOf(id: number): Promise<OutlineEntry> {
  return jsonCall('outline', [id, top]);
}

async function contentOf(
  source: Pick<JsonDocument, 'id'>,
  root: OutlineEntry,
): Promise<JsonContent> {
  const outline = outlineContent(source, root);
  if (outline !== undefined) return outline;
  const text = await jsonCall('text', [source.id, root.path]);
  return { state: 'text', text, size: root.size };
}

function outlineContent(
  document: Pick<JsonDocument, 'id'>,
  root: OutlineEntry,
): JsonContent | undefined {
  const isLarge = root.size > OUTLINE_SIZE && root.count > 0;
  return isLarge ? { state: 'outline', document, root } : undefined;
}

function sourceOf(value: unknown, text: string | undefined): JsonSource {
  return text === undefined ? { value } : { text };
}

function smallContent(value: unknown, text: string | undefined): JsonContent | undefined {
  if (text === undefined) {
    if (isLargerThan(value, WORKER_SIZE)) return undefined;
    return { state: 'text', text: printed(value), size: sizeOf(value) };
  }
  if (text.length > WORKER_SIZE) return undefined;
  try {
    return { state: 'text', text: printed(JSON.parse(text)), size: text.length };
  } catch {
    return { state: 'text', text, size: text.length };
  }
}

function printed(value: unknown): string {
  // What is no JSON value (undefined) has no text.
  const text = JSON.stringify(value, null, 2) as string | undefined;
  return text ?? '';
}
