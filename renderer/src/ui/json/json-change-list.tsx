import { VisuallyHidden } from '@mantine/core';
import { useState, type ReactNode } from 'react';
import { JsonChangeDetail } from './json-change-detail.tsx';
import type { ChangeEntry } from './json-documents.ts';
import { pathText } from './json-path.ts';
import type { JsonDiffContent } from './use-json-diff.ts';
import { VirtualList } from '../virtual-list/virtual-list.tsx';

interface JsonChangeListProps {
  readonly diff: JsonDiffContent;
  readonly labels: readonly [string, string];
}

const signs = { added: '+', removed: '−', changed: '~' } as const;
const keyOf = ({ kind, path }: ChangeEntry): string => `${kind} ${JSON.stringify(path)}`;

/** The changes, one line each with the old and the new value; a line opens to the whole values. */
export function JsonChangeList({ diff, labels }: JsonChangeListProps): ReactNode {
  const [open, setOpen] = useState<ReadonlySet<string>>(new Set());
  const toggle = (key: string): void =>
    setOpen((all) => {
      const next = new Set(all);
      if (!next.delete(key)) next.add(key);
      return next;
    });

  return (
    <VirtualList
      label="Changes"
      role="list"
      items={diff.changes}
      idOf={keyOf}
      rowHeight={({ kind }) => (kind === 'changed' ? 45 : 27)}
      isMeasured
      renderRow={(change) => {
        const isOpen = open.has(keyOf(change));
        return (
          <div className="json-change" data-kind={change.kind}>
            <ChangeHead change={change} isOpen={isOpen} onToggle={() => toggle(keyOf(change))} />
            {isOpen && <JsonChangeDetail change={change} diff={diff} labels={labels} />}
          </div>
        );
      }}
    />
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
      className="json-change-head mono"
      aria-expanded={isOpen}
      onClick={onToggle}
    >
      <span className="json-change-sign">
        <span aria-hidden="true">{signs[kind]}</span>
        <VisuallyHidden>{kind}</VisuallyHidden>
      </span>
      <span className="json-change-path">{pathText(path) || '(the whole)'}</span>
      <span className="json-change-values stack">
        {before !== undefined && <span className="json-change-before clip">{before}</span>}
        {after !== undefined && <span className="json-change-after clip">{after}</span>}
      </span>
      <span className={isOpen ? 'json-fold json-fold-open' : 'json-fold'} />
    </button>
  );
}
