import { useId, useState, type KeyboardEvent, type ReactNode } from 'react';
import type { JsonDocument } from './json-client.ts';
import type { OutlineEntry } from './json-outline-entries.ts';
import { OUTLINE_SIZE } from './json-size.ts';
import { formatSize } from '../format.ts';
import { useOutlineRows, type OutlineRow } from './use-outline-rows.ts';
import { useVirtualRows } from './use-virtual-rows.ts';

interface JsonOutlineProps {
  readonly document: Pick<JsonDocument, 'id'>;
  readonly root: OutlineEntry;
  readonly label: string;
  /** Shows the selected part, when it is small enough to be shown whole. */
  readonly showPart: (part: OutlineEntry) => ReactNode;
}

const isParent = (entry: OutlineEntry): boolean => entry.count > 0;

/** A large value by its keys and their sizes; the selected part is loaded and shown below. */
export function JsonOutline({ document, root, label, showPart }: JsonOutlineProps): ReactNode {
  const { rows, open, close } = useOutlineRows(document, root);
  const [selected, setSelected] = useState(0);
  const [shown, setShown] = useState<OutlineEntry>();
  const id = useId();
  const { scroll, virtual } = useVirtualRows({ count: rows.length, size: () => 22 });
  const choose = (index: number): void => {
    const row = rows[index];
    if (row === undefined) return;
    setSelected(index);
    virtual.scrollToIndex(index);
    if (row.more === undefined) setShown(row.entry);
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const row = rows[selected];
    if (row === undefined) return;
    if (event.key === 'ArrowDown') choose(Math.min(selected + 1, rows.length - 1));
    else if (event.key === 'ArrowUp') choose(Math.max(selected - 1, 0));
    else if (event.key === 'Home') choose(0);
    else if (event.key === 'End') choose(rows.length - 1);
    else if (event.key === 'ArrowRight' && isParent(row.entry)) open(row.entry);
    else if (event.key === 'ArrowLeft' && row.isOpen) close(row.entry);
    else if (event.key === 'ArrowLeft') choose(parentOf(rows, selected));
    else if (event.key === 'Enter' && row.more !== undefined) open(row.entry);
    else if (event.key === 'Enter') choose(selected);
    else return;
    event.preventDefault();
  };

  return (
    <>
      <div
        ref={scroll}
        className="json-scroll"
        role="tree"
        aria-label={`Outline of ${label}`}
        aria-activedescendant={rows[selected] && `${id}-${selected}`}
        tabIndex={0}
        onKeyDown={onKeyDown}
      >
        <div className="json-rows" role="none" style={{ height: virtual.getTotalSize() }}>
          {virtual.getVirtualItems().map(({ index, start }) => {
            const row = rows[index];
            return (
              row && (
                <OutlineLine
                  key={row.key}
                  row={row}
                  id={`${id}-${index}`}
                  start={start}
                  whole={root.size}
                  isSelected={index === selected}
                  onToggle={() => (row.isOpen ? close : open)(row.entry)}
                  onChoose={() => (row.more === undefined ? choose(index) : open(row.entry))}
                />
              )
            );
          })}
        </div>
      </div>
      {shown !== undefined && (
        <div className="json-part">
          {shown.size > OUTLINE_SIZE && isParent(shown) ? (
            <p className="json-empty">
              {formatSize(shown.size)}: open it above and choose a part of it.
            </p>
          ) : (
            showPart(shown)
          )}
        </div>
      )}
    </>
  );
}

function parentOf(rows: readonly OutlineRow[], index: number): number {
  const level = rows[index]?.level ?? 1;
  for (let at = index - 1; at >= 0; at -= 1) if ((rows[at]?.level ?? 0) < level) return at;
  return index;
}

interface OutlineLineProps {
  readonly row: OutlineRow;
  readonly id: string;
  readonly start: number;
  readonly whole: number;
  readonly isSelected: boolean;
  readonly onToggle: () => void;
  readonly onChoose: () => void;
}

function OutlineLine({ row, id, start, whole, ...rest }: OutlineLineProps): ReactNode {
  const { entry, level, isOpen, more } = row;
  const key = String(entry.path.at(-1) ?? '');
  return (
    <div
      id={id}
      className="json-row"
      role="treeitem"
      aria-level={level}
      aria-selected={rest.isSelected}
      aria-expanded={isParent(entry) && more === undefined ? isOpen : undefined}
      style={{ transform: `translateY(${start}px)`, paddingLeft: 4 + level * 14 }}
      onClick={rest.onChoose}
      onDoubleClick={rest.onToggle}
    >
      {more === undefined ? (
        <>
          <span
            className={isOpen ? 'json-fold json-fold-open' : 'json-fold'}
            style={{ visibility: isParent(entry) ? 'visible' : 'hidden' }}
            onClick={(event) => {
              event.stopPropagation();
              rest.onToggle();
            }}
          />
          <span className="json-row-key">{key}</span>
          <span className="json-row-preview">
            {isParent(entry) ? `${entry.kind}, ${entry.count.toLocaleString('en')}` : entry.preview}
          </span>
          <span className="json-row-size">{formatSize(entry.size)}</span>
          <span className="json-row-bar" aria-hidden="true">
            <span style={{ width: `${Math.max(2, (100 * entry.size) / whole)}%` }} />
          </span>
        </>
      ) : (
        <span className="json-row-preview">{more.toLocaleString('en')} more: load 200</span>
      )}
    </div>
  );
}
