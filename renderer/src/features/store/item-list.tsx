import { TextInput } from '@mantine/core';
import { IconFilter } from '@tabler/icons-react';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useDeferredValue, useMemo, type ReactNode } from 'react';
import type { StoreItem } from '../../api/generated/types.gen.ts';
import { ErrorView } from '../../ui/error-view.tsx';
import { MoreRows } from '../../ui/more-rows.tsx';
import { PageSkeleton } from '../../ui/page-skeleton.tsx';
import { TimeAgo } from '../../ui/time-ago.tsx';
import { VirtualList } from '../../ui/virtual-list/virtual-list.tsx';
import { metadataFilter } from './metadata-filter.ts';
import { pathKey } from './namespace-tree.ts';
import { itemsQuery } from './store-queries.ts';
import type { StoreParams } from './store-params.ts';

const commands = { group: 'Store', next: 'Next item', previous: 'Previous item' };

/** An item's unique id. */
export function itemId({ namespace, key }: Pick<StoreItem, 'namespace' | 'key'>): string {
  return pathKey([...namespace, key]);
}

interface ItemListProps {
  readonly params: StoreParams;
  /** Items that are being deleted: they are hidden at once. */
  readonly hidden: ReadonlySet<string>;
  readonly onOpen: (item: StoreItem) => void;
  readonly onFilter: (filter: string) => void;
}

/** The items on a path and below it that match the filter of metadata. */
export function ItemList({ params, hidden, onOpen, onFilter }: ItemListProps): ReactNode {
  const parsed = useMemo(() => metadataFilter(params.filter), [params.filter]);
  const filter = useDeferredValue(parsed ?? {});
  const query = useInfiniteQuery(itemsQuery(params.namespace, filter));
  const items = useMemo(
    () =>
      (query.data?.pages.flatMap((page) => page.items) ?? []).filter(
        (item) => !hidden.has(itemId(item)),
      ),
    [query.data, hidden],
  );
  const current = params.item && pathKey([...params.item.namespace, params.item.key]);
  return (
    <div className="pane">
      <TextInput
        className="store-filter"
        aria-label="Filter by metadata"
        placeholder="Metadata: kind=note size=3"
        leftSection={<IconFilter size={14} aria-hidden />}
        value={params.filter}
        error={parsed === undefined ? 'Write key=value, with spaces between' : undefined}
        onChange={(event) => onFilter(event.currentTarget.value)}
      />
      {query.error !== null && !query.isFetchNextPageError && (
        <ErrorView
          error={query.error}
          title={`The items could not be read${query.data === undefined ? '' : ' again'}`}
          onRetry={() => void query.refetch()}
          compact
        />
      )}
      {query.data === undefined ? (
        query.error === null && <PageSkeleton label="Reading the items" />
      ) : items.length === 0 ? (
        <p className="hint">
          {params.filter === '' ? 'No items here.' : 'No item has this metadata.'}
        </p>
      ) : (
        <VirtualList
          label="Items"
          items={items}
          idOf={itemId}
          rowHeight={44}
          currentId={current}
          onMove={onOpen}
          onOpen={onOpen}
          commands={commands}
          onRange={(_, last) => {
            if (last >= items.length - 10 && query.hasNextPage && !query.isFetchingNextPage)
              void query.fetchNextPage();
          }}
          footer={
            <MoreRows
              hasMore={query.hasNextPage}
              isFailed={query.isFetchNextPageError}
              onRetry={() => void query.fetchNextPage()}
            />
          }
          renderRow={(item) => (
            <ItemRow item={item} onOpen={() => onOpen(item)} above={params.namespace.length} />
          )}
        />
      )}
    </div>
  );
}

interface ItemRowProps {
  readonly item: StoreItem;
  readonly onOpen: () => void;
  /** How many labels of the path the tree shows already. */
  readonly above: number;
}

function ItemRow({ item, onOpen, above }: ItemRowProps): ReactNode {
  const below = item.namespace.slice(above);
  const members = Object.entries(item.metadata).map(
    ([key, value]) => `${key}=${typeof value === 'string' ? value : JSON.stringify(value)}`,
  );
  return (
    <div className="store-item-row pane-row" onClick={onOpen}>
      <span className="mono clip">
        {below.length > 0 && <span className="dim">{below.join(' / ')} / </span>}
        {item.key}
      </span>
      <span className="dim small">
        <TimeAgo time={item.updated_at} />
      </span>
      <span className="store-item-text dim small">
        {members.length > 0 && <b>{members.join(' ')} </b>}
        {JSON.stringify(item.value)?.slice(0, 160)}
      </span>
    </div>
  );
}
