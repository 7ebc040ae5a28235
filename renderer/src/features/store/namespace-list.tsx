import { IconChevronDown, IconChevronRight } from '@tabler/icons-react';
import { useMemo, useState, type ReactNode } from 'react';
import { VirtualList } from '../../ui/virtual-list/virtual-list.tsx';
import { namespaceRows, pathKey, type NamespaceRow } from './namespace-tree.ts';

const idOf = ({ path }: NamespaceRow): string => pathKey(path);

interface NamespaceListProps {
  readonly paths: readonly (readonly string[])[];
  readonly current: readonly string[];
  readonly onChoose: (path: readonly string[]) => void;
}

/** The namespaces as a tree; choosing one shows the items on it and below it. */
export function NamespaceList({ paths, current, onChoose }: NamespaceListProps): ReactNode {
  const [closed, setClosed] = useState<ReadonlySet<string>>(new Set());
  const rows = useMemo(() => namespaceRows(paths, closed), [paths, closed]);
  const set = (path: readonly string[], isClosed: boolean): void =>
    setClosed((all) => {
      const next = new Set(all);
      if (isClosed) next.add(pathKey(path));
      else next.delete(pathKey(path));
      return next;
    });
  const choose = ({ path }: NamespaceRow): void => onChoose(path);
  return (
    <div className="store-namespaces pane">
      <VirtualList
        label="Namespaces"
        items={rows}
        idOf={idOf}
        rowHeight={26}
        currentId={pathKey(current)}
        onMove={choose}
        onOpen={choose}
        onFold={({ path }, isFolded) => set(path, isFolded)}
        renderRow={(row) => {
          const isClosed = closed.has(pathKey(row.path));
          const Icon = isClosed ? IconChevronRight : IconChevronDown;
          return (
            <div
              className="store-namespace row"
              style={{ paddingLeft: 8 + row.level * 14 }}
              onClick={() => choose(row)}
            >
              <span
                className="fold"
                onClick={(event) => {
                  event.stopPropagation();
                  set(row.path, !isClosed);
                }}
              >
                {row.hasChildren && <Icon size={14} aria-hidden />}
              </span>
              <span className={row.level === 0 ? undefined : 'mono'}>{row.label}</span>
            </div>
          );
        }}
      />
    </div>
  );
}
