import { type ReactNode, type RefObject, useCallback, useMemo, useRef, useState } from 'react';
import type { Run } from '../../../api/generated/index.ts';
import type { RunStream } from '../../../api/run-stream.ts';
import { useCommands } from '../../../ui/commands.ts';
import { ErrorView } from '../../../ui/error-view.tsx';
import { SplitPane } from '../../../ui/split-pane.tsx';
import { createFilteredEvents, type FilteredEvents } from './event-filter.ts';
import { EventList } from './event-list.tsx';
import { EventToolbar } from './event-toolbar.tsx';
import { PayloadPane } from './payload-pane.tsx';
import type { PayloadView } from './payload-view.ts';
import { createRestarts, restartSentence } from './restarts.ts';
import { RunErrorDetails } from '../run-error.tsx';
import { isSettled } from '../run-queries.ts';
import { useEventView } from './use-event-view.ts';
import { useFold } from './use-fold.ts';
import { useStreamMember } from '../use-run-stream.ts';
import { type SelectEvent, useSelectedEvent } from './use-selected-event.ts';
import { createWaterfall } from './waterfall.ts';
import { type TimeRange, WaterfallView } from './waterfall-view.tsx';

/** Lanes and bars are rendered at most this often. */
const waterfallEveryMs = 200;

/** Waterfall, list and payload of a run's events. */
export function EventsTab({ run, stream }: { run: Run; stream: RunStream | undefined }): ReactNode {
  const isRunning = !isSettled(run.status);
  const [{ hiddenTypes, text, payload: view }, change] = useEventView();
  const [range, setRange] = useState<TimeRange>();
  const setView = useCallback((payload: PayloadView) => change({ payload }), [change]);
  const [selected, select] = useSelectedEvent(stream);
  const search = useRef<HTMLInputElement>(null);
  const [beginsAtTail] = useState(isRunning || run.status === 'error');

  const create = useCallback(
    () => createFilteredEvents({ hiddenTypes, text, range }),
    [hiddenTypes, text, range],
  );
  const { fold: events } = useFold(stream, create);
  const waterfall = useFold(stream, createWaterfall, waterfallEveryMs);
  const restarted = useFold(stream, createRestarts).fold.list();
  const attempts = run.max_attempts + 1;
  const restarts = useMemo(
    () => new Map(restarted.map((restart) => [restart.seq, restartSentence(restart, attempts)])),
    [restarted, attempts],
  );
  const clockOffset = useStreamMember(stream, (snapshot) => snapshot.clockOffset) ?? 0;
  const failure = useStreamMember(stream, ({ connection, error }) =>
    connection === 'failed' ? error : undefined,
  );
  const log = stream?.getSnapshot().log;
  useEventKeys({ stream, select, search, view, setView });

  const footer = useMemo(
    () => (run.error === undefined ? undefined : <RunErrorDetails run={run} error={run.error} />),
    [run],
  );
  if (log === undefined) return undefined;
  const chosen = selected === undefined ? undefined : log.get(selected);
  const list = (
    <EventList
      log={log}
      rows={events.rows}
      selected={selected}
      onSelect={select}
      restarts={restarts}
      footer={footer}
      beginsAtTail={beginsAtTail}
      empty={<NoEvents isRunning={isRunning} isFiltered={text !== '' || hiddenTypes.size > 0} />}
    />
  );
  return (
    <div className="pane">
      <WaterfallView
        waterfall={waterfall.fold}
        isRunning={isRunning}
        clockOffset={clockOffset}
        range={range}
        onRange={setRange}
        onSelect={select}
        failedNode={run.error?.node}
        noTimes={noTimes(run, events)}
      />
      <EventToolbar
        stream={stream}
        counts={events.counts}
        hiddenTypes={hiddenTypes}
        onHiddenTypes={(hidden) => change({ hiddenTypes: hidden })}
        text={text}
        onText={(wanted) => change({ text: wanted })}
        shownRows={events.rows.length}
        search={search}
      />
      {failure !== undefined && (
        <ErrorView compact error={failure} title="The events could not be followed" />
      )}
      {chosen === undefined ? (
        list
      ) : (
        <SplitPane
          name="run-payload"
          label="Width of the payload"
          className="events-split"
          sized="second"
          initial={440}
          min={240}
          max={900}
          first={list}
          second={
            <PayloadPane
              log={log}
              event={chosen}
              view={view}
              onView={setView}
              onClose={() => select(undefined)}
            />
          }
        />
      )}
    </div>
  );
}

/** Why no node has a bar. */
function noTimes({ status, error }: Run, { counts, hasGap }: FilteredEvents): string {
  if (!isSettled(status)) return 'Nodes will be here with the time that each takes.';
  if (hasGap)
    return 'No times of nodes: the events of this run are no longer kept, they are deleted ten minutes after its end.';
  if (error?.node !== undefined) return `The run failed in ${error.node}, before any node started.`;
  const isEmpty = [...counts.keys()].every((type) => ['lifecycle', 'error'].includes(type));
  if (status === 'error' && isEmpty) return 'The run failed before any node started.';
  return 'No times of nodes: they need stream mode tasks, which runs sent from here have.';
}

function NoEvents(props: { isRunning: boolean; isFiltered: boolean }): ReactNode {
  return (
    <p className="hint">
      {props.isFiltered
        ? 'No matching events.'
        : props.isRunning
          ? 'Events will be here as they arrive.'
          : 'No events of this run are kept any more: they are deleted ten minutes after its end, with its logs. Output and error are still available.'}
    </p>
  );
}

interface EventKeys {
  readonly stream: RunStream | undefined;
  readonly select: SelectEvent;
  readonly search: RefObject<HTMLInputElement | null>;
  readonly view: PayloadView;
  readonly setView: (view: PayloadView) => void;
}

function useEventKeys({ stream, select, search, view, setView }: EventKeys): void {
  const group = 'Events';
  useCommands([
    {
      id: 'events.close',
      label: 'Close the payload',
      keys: 'escape',
      group,
      keysOnly: true,
      run: () => select(undefined),
    },
    {
      id: 'events.filter',
      label: 'Filter events',
      keys: '/',
      group,
      run: () => search.current?.focus(),
    },
    {
      id: 'events.diff',
      label: 'Compare values with the previous ones',
      keys: 'd',
      group,
      run: () => setView(view === 'diff' ? 'json' : 'diff'),
    },
    {
      id: 'events.pause',
      label: 'Pause or resume the list',
      keys: 'p',
      group,
      run: () => {
        if (stream?.getSnapshot().isPaused === true) stream.resume();
        else stream?.pause();
      },
    },
  ]);
}
