import { ActionIcon } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { useNavigate, useParams, useSearchParams } from 'react-router';
import { formatNumber } from '../../../ui/format.ts';
import { TimeStyleSwitch } from '../../../ui/time-ago.tsx';
import { MoreRows } from '../../../ui/more-rows.tsx';
import { useSelection } from '../../../ui/use-selection.ts';
import { useNavigationTarget } from '../../../ui/use-navigation-target.ts';
import { VirtualList } from '../../../ui/virtual-list/virtual-list.tsx';
import type { Thread } from '../../../api/generated/types.gen.ts';
import { CreateThread } from '../actions/create-thread.tsx';
import { deleteThreadsWithUndo } from '../actions/delete-threads.ts';
import { queryInForce, useListQuery } from '../../../state/list-query.ts';
import { FilterBar } from './filter-bar.tsx';
import { SelectionBar } from './selection-bar.tsx';
import { NoThreads } from './no-threads.tsx';
import { filterFrom, queryOf } from './thread-filter.ts';
import './thread-list.css';
import { ThreadRow } from './thread-row.tsx';
import { useListKeys } from './use-list-keys.ts';
import { useThreadList } from './use-thread-list.ts';
import { ViewsMenu } from './views-menu.tsx';
import { tip } from '../../../ui/tip.tsx';
import { threadPath } from '../../../state/page-paths.ts';

const rowHeight = 28;
const idOf = ({ thread_id }: Thread): string => thread_id;
const commands = {
  group: 'Threads',
  next: 'Next thread',
  previous: 'Previous thread',
  open: 'Open',
};

/** The threads: filtered, live, selectable, and openable without a mouse. */
export function ThreadList(): ReactNode {
  const navigate = useNavigate();
  const queryClient = useQueryClient();
  const { threadId: openId } = useParams();
  const [params] = useSearchParams();
  const query = useQueryInForce(
    queryOf(useMemo(() => filterFrom(params), [params])),
    openId !== undefined,
  );
  const filter = useMemo(() => filterFrom(new URLSearchParams(query)), [query]);
  const list = useThreadList(filter);
  const { threads } = list;
  const selection = useSelection(threads, idOf);
  const [cursor, setCursor] = useState<string>();
  const [isCreating, setCreating] = useState(false);
  const input = useRef<HTMLInputElement>(null);

  const show = useCallback(
    (next: string) => {
      useListQuery.setState({ query: next });
      void navigate({ search: next === '' ? '' : `?${next}` });
    },
    [navigate],
  );
  const { target, setTarget } = useNavigationTarget(openId);
  const open = useCallback(
    (id: string) => {
      setTarget(id);
      setCursor(id);
      void navigate({ pathname: threadPath(id), search: query === '' ? '' : `?${query}` });
    },
    [navigate, query, setTarget],
  );
  const currentId = cursor ?? openId;
  const step = (from: string | undefined, by: number): Thread | undefined => {
    const index = threads.findIndex(({ thread_id }) => thread_id === from);
    return threads[Math.min(threads.length - 1, Math.max(0, index + by))];
  };
  const openNext = (by: number): void => {
    const next = step(target() ?? cursor, by);
    if (next !== undefined) open(next.thread_id);
  };
  const remove = (ids: readonly string[]): void => {
    deleteThreadsWithUndo(ids, queryClient);
    selection.none();
    if (openId !== undefined && ids.includes(openId)) {
      void navigate({ pathname: '/threads', search: query === '' ? '' : `?${query}` });
    }
  };
  useListKeys({
    openNext,
    focusFilter: () => input.current?.focus(),
    create: () => setCreating(true),
    select: () => {
      if (currentId !== undefined) selection.toggle(currentId, false);
    },
    ...(selection.ids.size > 0 && { clearSelection: selection.none }),
  });

  return (
    <section className="pane thread-list" aria-label="Threads">
      <header className="pane-head thread-list-head">
        <ViewsMenu query={query} onChoose={show} />
        <span className="grow dim numeric" aria-live="polite">
          {list.total === undefined ? '' : formatNumber(list.total)}
        </span>
        <TimeStyleSwitch />
        <ActionIcon
          {...tip('New thread')}
          aria-label="New thread"
          onClick={() => setCreating(true)}
        >
          <IconPlus size={16} aria-hidden />
        </ActionIcon>
      </header>
      <FilterBar filter={filter} onChange={(next) => show(queryOf(next))} inputRef={input} />
      {selection.ids.size > 0 && (
        <SelectionBar
          count={selection.ids.size}
          loaded={threads.length}
          onAll={selection.all}
          onNone={selection.none}
          onDelete={() => remove([...selection.ids])}
        />
      )}
      <VirtualList
        items={threads}
        idOf={idOf}
        rowHeight={rowHeight}
        label="Threads"
        currentId={currentId}
        selectedIds={selection.ids}
        onMove={({ thread_id }) => setCursor(thread_id)}
        onOpen={({ thread_id }) => open(thread_id)}
        commands={commands}
        onRange={list.onRange}
        renderRow={(thread) => (
          <ThreadRow
            thread={thread}
            isOpen={thread.thread_id === openId}
            isSelected={selection.ids.has(thread.thread_id)}
            isSelecting={selection.ids.size > 0}
            onOpen={open}
            onSelect={selection.toggle}
          />
        )}
        footer={
          <MoreRows hasMore={list.hasMore} isFailed={list.isMoreFailed} onRetry={list.readMore} />
        }
        empty={
          <NoThreads
            {...list}
            filter={filter}
            onCreate={() => setCreating(true)}
            onClear={() => show('')}
          />
        }
      />
      {isCreating && (
        <CreateThread
          onClose={() => setCreating(false)}
          onCreated={(id) => {
            setCreating(false);
            list.refresh();
            open(id);
          }}
        />
      )}
    </section>
  );
}

/** The filter in force, which is kept for pages whose URL has none. */
function useQueryInForce(fromUrl: string, isThreadOpen: boolean): string {
  const lastQuery = useListQuery(({ query }) => query);
  const query = queryInForce(fromUrl, isThreadOpen, lastQuery);
  useEffect(() => useListQuery.setState({ query }), [query]);
  return query;
}
