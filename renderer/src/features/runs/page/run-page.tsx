import { Tabs } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useEffect } from 'react';
import { useParams } from 'react-router';
import type { Run } from '../../../api/generated/index.ts';
import type { RunStream } from '../../../api/run-stream.ts';
import { unwatchRun } from '../../../api/watched-runs.ts';
import { useInView } from '../../../state/in-view.ts';
import { useQueryMembers } from '../../../state/query-members.ts';
import { ErrorView } from '../../../ui/error-view.tsx';
import { JsonView } from '../../../ui/json/json-view.tsx';
import { PageSkeleton } from '../../../ui/page-skeleton.tsx';
import { EventsTab } from '../events/events-tab.tsx';
import { GraphTab } from './graph-tab.tsx';
import { InterruptPanel } from '../interrupt-panel.tsx';
import { InputTab, OutputTab } from './input-output.tsx';
import { LogsTab } from './logs-tab.tsx';
import { RunErrorLine } from '../run-error.tsx';
import { RunHeader } from './run-header.tsx';
import { threadChanged } from '../../../api/queries/thread-keys.ts';
import { isSettled, useRun } from '../run-queries.ts';
import { TokensView } from '../events/tokens-view.tsx';
import { TraceTab } from '../trace/trace-tab.tsx';
import { useIsNewest, useRunNeighbours } from './run-neighbours.ts';
import { useRunStream, useStreamMember } from '../use-run-stream.ts';
import './run-page.css';
import '../events/payload.css';

const tabs = {
  trace: 'Trace',
  input: 'Input',
  output: 'Output',
  text: 'Text',
  graph: 'Graph',
  events: 'Events',
  logs: 'Logs',
  record: 'Record',
};
type Tab = keyof typeof tabs;

function isTab(name: string | null): name is Tab {
  return name !== null && name in tabs;
}

/** The inspector of a run. */
export function Component(): ReactNode {
  const { threadId = '', runId = '' } = useParams();
  const run = useRun(threadId, runId);
  const stream = useRunStream(threadId, runId);
  useRunNeighbours(threadId, runId);
  if (run.data !== undefined) {
    return <RunInspector key={runId} run={run.data} stream={stream} />;
  }
  if (run.isError) {
    return (
      <ErrorView
        error={run.error}
        title="The run could not be read"
        onRetry={() => void run.refetch()}
      />
    );
  }
  return <PageSkeleton label="Loading the run" />;
}

function RunInspector({ run, stream }: { run: Run; stream: RunStream | undefined }): ReactNode {
  const [search, write] = useQueryMembers();
  const named = search.get('view');
  // The address of an event leads to it.
  const isNewest = useIsNewest(run);
  useInView(run.run_id);
  useSeenEnd(run);
  const tab = isTab(named) ? named : search.has('event') ? 'events' : 'trace';
  useFreshRun(run, stream);
  const show = (next: Tab): void =>
    write(next === 'trace' ? { view: undefined, event: undefined } : { view: next }, {
      replace: true,
    });
  return (
    <article className="pane" aria-label={`Run ${run.run_id}`}>
      <RunHeader run={run} stream={stream} />
      <RunErrorLine
        run={run}
        onShow={() =>
          write({ view: undefined, event: undefined, span: undefined }, { replace: true })
        }
      />
      {run.status === 'interrupted' && <InterruptPanel run={run} isNewest={isNewest} />}
      <Tabs
        className="pane"
        value={tab}
        keepMounted={false}
        onChange={(next) => isTab(next) && show(next)}
      >
        <Tabs.List aria-label="Parts of the run">
          {Object.entries(tabs).map(([name, label]) => (
            <Tabs.Tab key={name} value={name}>
              {label}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        <Tabs.Panel value={tab}>
          {tab === 'trace' && (
            <TraceTab run={run} stream={stream} onEvents={() => show('events')} />
          )}
          {tab === 'events' && <EventsTab run={run} stream={stream} />}
          {tab === 'input' && <InputTab run={run} />}
          {tab === 'text' && <TokensView stream={stream} isRunning={!isSettled(run.status)} />}
          {tab === 'graph' && <GraphTab run={run} stream={stream} />}
          {tab === 'output' && <OutputTab run={run} />}
          {tab === 'logs' && <LogsTab run={run} />}
          {tab === 'record' && <JsonView value={run} label="Run" maxHeight="100%" />}
        </Tabs.Panel>
      </Tabs>
    </article>
  );
}

const staleMs = 2_500;

/** An end that was seen here needs no notice, also when the page is left before the run is asked for again. */
function useSeenEnd({ run_id, status }: Run): void {
  const hasEnded = isSettled(status);
  useEffect(() => {
    if (hasEnded && document.visibilityState === 'visible') unwatchRun(run_id);
  }, [hasEnded, run_id]);
}

/** The end of the stream is the first sign of the end of the run. */
function useFreshRun(run: Run, stream: RunStream | undefined): void {
  const client = useQueryClient();
  const connection = useStreamMember(stream, (snapshot) => snapshot.connection);
  const isBehind = connection === 'ended' && !isSettled(run.status);
  useEffect(() => {
    if (isBehind) void threadChanged(client, run.thread_id);
  }, [isBehind, client, run.thread_id]);
  // The other way round: the run has ended, and a proxy did not report that its stream was closed.
  const isStale = connection === 'open' && isSettled(run.status);
  useEffect(() => {
    if (!isStale) return undefined;
    const timer = setInterval(() => stream?.check(), staleMs);
    return () => clearInterval(timer);
  }, [isStale, stream]);
}
