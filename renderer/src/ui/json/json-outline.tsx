import { useState, type AriaAttributes, type ReactNode } from 'react';
import type { JsonDocument } from './json-client.ts';
import type { OutlineEntry } from './json-outline-entries.ts';
import { OUTLINE_SIZE } from './json-size.ts';
import { formatSize } from '../format.ts';
import { SizeBar } from '../size-bar.tsx';
import { useOutlineRows, type OutlineRow } from './use-outline-rows.ts';
import { VirtualList } from '../virtual-list/virtual-list.tsx';

interface JsonOutlineProps {
  readonly document: Pick<JsonDocument, 'id'>;
  readonly root: OutlineEntry;
  readonly label: string;
  /** Shows the selected part, when it is small enough to be shown whole. */
  readonly showPart: (part: OutlineEntry) => ReactNode;
}

const keyOf = ({ key }: OutlineRow): string => key;
const isParent = (entry: OutlineEntry): boolean => entry.count > 0;

/** A large value by its keys and their sizes; the selected part is loaded and shown below. */
export function JsonOutline({ document, root, label, showPart }: JsonOutlineProps): ReactNode {
  const { rows, open, close } = useOutlineRows(document, root);
  const [selected, setSelected] = useState<string>();
  const [shown, setShown] = useState<OutlineEntry>();
  const current = rows.find(({ key }) => key === selected) ?? rows[0];
  const choose = (row: OutlineRow | undefined): void => {
    if (row === undefined) return;
    setSelected(row.key);
    if (row.more === undefined) setShown(row.entry);
  };
  const openOrChoose = (row: OutlineRow): void =>
    row.more === undefined ? choose(row) : open(row.entry);
  const fold = (row: OutlineRow, isFolded: boolean, index: number): void => {
    if (!isFolded && isParent(row.entry)) open(row.entry);
    else if (isFolded && row.isOpen) close(row.entry);
    else if (isFolded) choose(parentOf(rows, index));
  };

  return (
    <>
      <VirtualList
        label={`Outline of ${label}`}
        role="tree"
        items={rows}
        idOf={keyOf}
        rowHeight={22}
        ariaOf={ariaOf}
        currentId={current?.key}
        onMove={choose}
        onOpen={openOrChoose}
        onFold={fold}
        renderRow={(row) => (
          <OutlineLine
            row={row}
            whole={root.size}
            onToggle={() => (row.isOpen ? close : open)(row.entry)}
            onChoose={() => openOrChoose(row)}
          />
        )}
      />
      {shown !== undefined && (
        <div className="json-part">
          {shown.size > OUTLINE_SIZE && isParent(shown) ? (
            <p className="hint">{formatSize(shown.size)}: open it above and choose a part of it.</p>
          ) : (
            showPart(shown)
          )}
        </div>
      )}
    </>
  );
}

function ariaOf({ entry, level, isOpen, more }: OutlineRow): AriaAttributes {
  const isFoldable = isParent(entry) && more === undefined;
  return { 'aria-level': level, 'aria-expanded': isFoldable ? isOpen : undefined };
}

function parentOf(rows: readonly OutlineRow[], index: number): OutlineRow | undefined {
  const level = rows[index]?.level ?? 1;
  return rows.slice(0, index).findLast((row) => row.level < level);
}

interface OutlineLineProps {
  readonly row: OutlineRow;
  readonly whole: number;
  readonly onToggle: () => void;
  readonly onChoose: () => void;
}

function OutlineLine({ row, whole, ...rest }: OutlineLineProps): ReactNode {
  const { entry, level, isOpen, more } = row;
  const key = String(entry.path.at(-1) ?? '');
  return (
    <div
      className="json-row row mono"
      style={{ paddingLeft: 4 + level * 14 }}
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
          <span className="clip grow dim">
            {isParent(entry) ? `${entry.kind}, ${entry.count.toLocaleString('en')}` : entry.preview}
          </span>
          <span className="json-row-size dim">{formatSize(entry.size)}</span>
          <SizeBar percent={(100 * entry.size) / whole} />
        </>
      ) : (
        <span className="clip grow dim">{more.toLocaleString('en')} more: load 200</span>
      )}
    </div>
  );
}
