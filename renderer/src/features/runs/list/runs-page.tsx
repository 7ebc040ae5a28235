import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useCallback, useMemo, useRef, useState } from 'react';
import { useNavigate, useSearchParams } from 'react-router';
import type { RecordedRun } from '../../../api/generated/types.gen.ts';
import { isHistoryOff } from '../../../api/queries/run-history-keys.ts';
import { useQueryMembers } from '../../../state/query-members.ts';
import { ErrorView } from '../../../ui/error-view.tsx';
import { MoreRows } from '../../../ui/more-rows.tsx';
import { useSelection } from '../../../ui/use-selection.ts';
import { rowId } from '../../../ui/virtual-list/list-rows.tsx';
import { VirtualList } from '../../../ui/virtual-list/virtual-list.tsx';
import { rerunRequest, useSendRun } from '../run-actions.ts';
import { deleteRunsWithUndo } from './hidden-runs.ts';
import { NoRuns } from './no-runs.tsx';
import { RunListRow } from './run-list-row.tsx';
import { type OpenMenu, RunRowMenu } from './run-row-menu.tsx';
import { RunViews } from './run-views.tsx';
import { RunsChart } from './runs-chart.tsx';
import { filterFrom, queryOf, type RunsFilter, searchBody } from './runs-filter.ts';
import './runs-list.css';
import { RunsSelection } from './runs-selection.tsx';
import { RunsToolbar } from './runs-toolbar.tsx';
import { useRunList } from './use-run-list.ts';
import { useRunListKeys } from './use-run-list-keys.ts';
import { runPath } from '../../../state/page-paths.ts';

const rowHeight = 28;
const idOf = ({ run_id }: RecordedRun): string => run_id;
const commands = {
  group: 'Runs',
  next: 'Next run',
  previous: 'Previous run',
  open: 'Open the run',
};

/** The runs of all threads: filtered, live, and what can be done with one. */
export function Component(): ReactNode {
  const navigate = useNavigate();
  const client = useQueryClient();
  const [params] = useSearchParams();
  const [, write] = useQueryMembers();
  const query = queryOf(filterFrom(params));
  const filter = useMemo(() => filterFrom(new URLSearchParams(query)), [query]);
  const body = useMemo(() => searchBody(filter), [filter]);
  const list = useRunList(body);
  const { runs } = list;
  const selection = useSelection(runs, idOf);
  const [cursor, setCursor] = useState<string>();
  const [menu, setMenu] = useState<OpenMenu>();
  const search = useRef<HTMLInputElement>(null);
  const send = useSendRun();
  const rerun = useMutation({
    mutationFn: (run: RecordedRun) => rerunRequest(run),
    onSuccess: (request) => send.mutate(request),
  });

  const show = useCallback(
    (next: string, how?: { readonly replace: boolean }) =>
      void navigate({ search: next === '' ? '' : `?${next}` }, how),
    [navigate],
  );
  const change = (next: RunsFilter, how?: { readonly replace: boolean }): void =>
    show(queryOf(next), how);
  const open = useCallback(
    (run: Pick<RecordedRun, 'run_id' | 'thread_id'>) => void navigate(runPath(run)),
    [navigate],
  );
  const openMenu = useCallback(
    (run: RecordedRun, at: { readonly x: number; readonly y: number }) => {
      setCursor(run.run_id);
      setMenu({ run, ...at });
    },
    [],
  );
  const compose = (of?: RecordedRun): void =>
    write({ compose: '1', input_of: of?.run_id, for: of?.agent_id });
  const remove = (ids: readonly string[]): void => {
    deleteRunsWithUndo(ids, client);
    selection.none();
  };
  const current = runs.find(({ run_id }) => run_id === cursor);
  useRunListKeys({
    select: () => current && selection.toggle(current.run_id, false),
    menu: () => current && openMenu(current, rowCorner(current.run_id)),
    focusSearch: () => search.current?.focus(),
    ...(selection.ids.size > 0 && { clearSelection: selection.none }),
  });
  const failure = rerun.error ?? send.error;
  const isOff = isHistoryOff(list.error);
  return (
    <section className="runs-page pane" aria-label="Runs of all threads">
      <RunsToolbar
        filter={filter}
        onChange={change}
        onRun={() => compose()}
        onId={(run_id) => open({ run_id, thread_id: run_id.slice(0, -37) })}
        inputRef={search}
      />
      {selection.ids.size > 0 ? (
        <RunsSelection ids={[...selection.ids]} onNone={selection.none} onDelete={remove} />
      ) : (
        <RunViews query={query} onChoose={show} />
      )}
      {!isOff && <RunsChart filter={filter} onWindow={(window) => change({ ...filter, window })} />}
      {failure !== null && <ErrorView compact error={failure} title="The run was not created" />}
      {list.refreshError !== null && runs.length > 0 && (
        <ErrorView compact error={list.refreshError} title="The newest runs could not be read" />
      )}
      {runs.length === 0 ? (
        <NoRuns
          {...list}
          isFiltered={query !== ''}
          onClear={() => show('')}
          onRun={() => compose()}
        />
      ) : (
        <div
          className="runs-table pane"
          data-stale={list.isStale || undefined}
          data-has-cost={runs.some(({ cost }) => cost !== undefined) || undefined}
        >
          <div className="runs-row pane-row list-head dim small" aria-hidden>
            <span />
            <span>status</span>
            <span>agent</span>
            <span>input</span>
            <span>error</span>
            <span className="runs-row-number dim numeric">took</span>
            <span className="runs-row-number dim numeric" data-column="tokens">
              tokens
            </span>
            <span className="runs-row-number dim numeric" data-column="cost">
              cost
            </span>
            <span className="runs-row-number dim numeric" data-column="time">
              active
            </span>
            <span />
          </div>
          <VirtualList
            label="All runs"
            items={runs}
            idOf={idOf}
            rowHeight={rowHeight}
            currentId={cursor}
            selectedIds={selection.ids}
            onMove={({ run_id }) => setCursor(run_id)}
            onOpen={open}
            commands={commands}
            onRange={list.onRange}
            footer={
              <MoreRows
                hasMore={list.hasMore}
                isFailed={list.isMoreFailed}
                onRetry={list.readMore}
              />
            }
            renderRow={(run) => (
              <RunListRow
                run={run}
                isSelected={selection.ids.has(run.run_id)}
                isSelecting={selection.ids.size > 0}
                onOpen={open}
                onSelect={selection.toggle}
                onMenu={openMenu}
              />
            )}
          />
        </div>
      )}
      <RunRowMenu
        open={menu}
        onClose={() => setMenu(undefined)}
        onOpen={open}
        onSelect={(run) => selection.toggle(run.run_id, false)}
        onRerun={(run) => rerun.mutate(run)}
        onEdit={compose}
        onThread={(run) => change({ ...filter, thread: run.thread_id })}
        onDelete={(run) => remove([run.run_id])}
      />
    </section>
  );
}

/** Where the menu of a row opens that was asked for by a key. */
function rowCorner(runId: string): { x: number; y: number } {
  const row = document.getElementById(rowId(runId))?.getBoundingClientRect();
  return { x: (row?.left ?? 0) + 120, y: row?.bottom ?? 0 };
}
