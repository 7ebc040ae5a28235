import { useCallback, useEffect, useMemo, useState } from 'react';
import { jsonCall, type JsonDocument } from './json-client.ts';
import type { OutlineEntry } from './json-outline-entries.ts';

const page = 200;

/** A line of the opened outline; `more` represents the children that are not loaded yet. */
export interface OutlineRow {
  readonly key: string;
  readonly entry: OutlineEntry;
  readonly level: number;
  readonly isOpen: boolean;
  readonly more?: number;
}

interface OutlineRows {
  readonly rows: readonly OutlineRow[];
  open(entry: OutlineEntry): void;
  close(entry: OutlineEntry): void;
}

const keyOf = (entry: OutlineEntry): string => JSON.stringify(entry.path);

/** The lines of an outline: children are read from the worker when their parent is opened, 200 at a time. */
export function useOutlineRows(
  document: Pick<JsonDocument, 'id'>,
  root: OutlineEntry,
): OutlineRows {
  const { id } = document;
  const [children, setChildren] = useState<ReadonlyMap<string, readonly OutlineEntry[]>>(new Map());
  const [opened, setOpened] = useState<ReadonlySet<string>>(new Set([keyOf(root)]));

  const load = useCallback(
    (entry: OutlineEntry, offset: number): void => {
      const key = keyOf(entry);
      jsonCall('children', [id, entry.path, offset, page]).then(
        (next) =>
          setChildren((all) => {
            const known = all.get(key) ?? [];
            return known.length === offset ? new Map(all).set(key, [...known, ...next]) : all;
          }),
        // The document was closed, and with it this view.
        () => undefined,
      );
    },
    [id],
  );

  useEffect(() => load(root, 0), [load, root]);

  const rows = useMemo(() => {
    const list: OutlineRow[] = [];
    const write = (parent: OutlineEntry, level: number): void => {
      const known = children.get(keyOf(parent)) ?? [];
      for (const entry of known) {
        const key = keyOf(entry);
        const isOpen = opened.has(key);
        list.push({ key, entry, level, isOpen });
        if (isOpen) write(entry, level + 1);
      }
      const more = parent.count - known.length;
      if (more > 0 && known.length > 0)
        list.push({ key: `${keyOf(parent)} more`, entry: parent, level, isOpen: false, more });
    };
    write(root, 1);
    return list;
  }, [children, opened, root]);

  return {
    rows,
    open: (entry) => {
      const key = keyOf(entry);
      setOpened((all) => new Set(all).add(key));
      if (!children.has(key) || opened.has(key)) load(entry, children.get(key)?.length ?? 0);
    },
    close: (entry) => setOpened((all) => new Set([...all].filter((key) => key !== keyOf(entry)))),
  };
}
