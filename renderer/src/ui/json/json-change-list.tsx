import { useState, type ReactNode } from 'react';
import { JsonChangeDetail } from './json-change-detail.tsx';
import type { ChangeEntry } from './json-documents.ts';
import { pathText } from './json-path.ts';
import { useVirtualRows } from './use-virtual-rows.ts';
import type { JsonDiffContent } from './use-json-diff.ts';

interface JsonChangeListProps {
  readonly diff: JsonDiffContent;
  readonly labels: readonly [string, string];
}

const signs = { added: '+', removed: '−', changed: '~' } as const;
const keyOf = (change?: ChangeEntry): string =>
  change === undefined ? '' : `${change.kind} ${JSON.stringify(change.path)}`;

/** The changes, one line each with the old and the new value; a line opens to the whole values. */
export function JsonChangeList({ diff, labels }: JsonChangeListProps): ReactNode {
  const [open, setOpen] = useState<ReadonlySet<string>>(new Set());
  const { scroll, virtual } = useVirtualRows({
    count: diff.changes.length,
    size: (index) => (diff.changes[index]?.kind === 'changed' ? 45 : 27),
    keyOf: (index) => keyOf(diff.changes[index]),
  });
  const toggle = (key: string): void =>
    setOpen((all) => {
      const next = new Set(all);
      if (!next.delete(key)) next.add(key);
      return next;
    });

  return (
    <div ref={scroll} className="json-scroll" role="list" aria-label="Changes">
      <div className="json-rows" role="none" style={{ height: virtual.getTotalSize() }}>
        {virtual.getVirtualItems().map(({ index, start, key }) => {
          const change = diff.changes[index];
          if (change === undefined) return null;
          const isOpen = open.has(keyOf(change));
          return (
            <div
              key={key}
              ref={virtual.measureElement}
              data-index={index}
              data-kind={change.kind}
              className="json-change"
              role="listitem"
              style={{ transform: `translateY(${start}px)` }}
            >
              <ChangeHead change={change} isOpen={isOpen} onToggle={() => toggle(keyOf(change))} />
              {isOpen && <JsonChangeDetail change={change} diff={diff} labels={labels} />}
            </div>
          );
        })}
      </div>
    </div>
  );
}

interface ChangeHeadProps {
  readonly change: ChangeEntry;
  readonly isOpen: boolean;
  readonly onToggle: () => void;
}

function ChangeHead({ change, isOpen, onToggle }: ChangeHeadProps): ReactNode {
  const { kind, path, before, after } = change;
  return (
    <button
      type="button"
      className="json-change-head plain-button"
      aria-expanded={isOpen}
      onClick={onToggle}
    >
      <span className="json-change-sign">
        <span aria-hidden="true">{signs[kind]}</span>
        <span className="json-unseen">{kind}</span>
      </span>
      <span className="json-change-path">{pathText(path) || '(the whole)'}</span>
      <span className="json-change-values">
        {before !== undefined && <span className="json-change-before">{before}</span>}
        {after !== undefined && <span className="json-change-after">{after}</span>}
      </span>
      <span className={isOpen ? 'json-fold json-fold-open' : 'json-fold'} />
    </button>
  );
}
