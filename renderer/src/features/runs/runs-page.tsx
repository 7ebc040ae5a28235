import { Checkbox, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { Navigate, useNavigate, useSearchParams } from 'react-router';
import { listAgentsOptions } from '../../api/generated/@tanstack/react-query.gen.ts';
import { useServiceUrl } from '../../api/queries/service-url.ts';
import { EmptyState } from '../../ui/empty-state.tsx';
import { ErrorView } from '../../ui/error-view.tsx';
import { PageSkeleton } from '../../ui/page-skeleton.tsx';
import { SplitPane } from '../../ui/split-pane.tsx';
import { Composer } from './composer.tsx';
import { type Draft, draftOf, emptyDraft } from './composer-draft.ts';
import { RecentRuns } from './recent-runs.tsx';
import { runPath } from './run-actions.ts';
import { useSentHere } from './sent-runs.ts';
import { createThread } from '../../api/generated/index.ts';
import './runs.css';
import './composer.css';

/**
 * Runs without opening a thread first: compose one, for the agent in the URL, or open one that was sent before.
 */
export function Component(): ReactNode {
  const runs = useSentHere();
  const url = useServiceUrl();
  const [search] = useSearchParams();
  const threadId = search.get('thread');
  const agentId = search.get('agent') ?? undefined;
  if (threadId !== null) {
    const pathname = `/threads/${encodeURIComponent(threadId)}/runs`;
    return <Navigate to={{ pathname, search: '?compose=1' }} replace />;
  }
  return (
    <div className="runs-page">
      <SplitPane
        name="runs-composer"
        label="Width of the composer"
        initial={460}
        min={360}
        max={760}
        narrow="stack"
        first={<NewRun key={agentId} agentId={agentId} />}
        second={
          <section className="runs-recent" aria-label="Runs sent from here">
            <header>
              <h2>Sent from here</h2>
              <OpenById />
            </header>
            {runs.length === 0 ? (
              <EmptyState
                title="Nothing sent yet"
                text="Runs that you send from this browser are listed here with their input, to be opened and sent again. All runs of a thread are on its page."
                curl={`curl -s -X POST ${url}/runs -H 'content-type: application/json' -d '{"input": {}}'`}
              />
            ) : (
              <RecentRuns runs={runs} />
            )}
          </section>
        }
      />
    </div>
  );
}

/** Starts with the last request, to this agent if one is named. */
function NewRun({ agentId }: { agentId: string | undefined }): ReactNode {
  const agents = useQuery(listAgentsOptions());
  const firstAgent = agents.data?.[0]?.agent_id;
  const sent = useSentHere();
  const last =
    agentId === undefined ? sent[0] : sent.find(({ body }) => body?.['agent_id'] === agentId);
  const [changed, setChanged] = useState<Draft>();
  const [isOnThread, setIsOnThread] = useState(true);
  if (agents.data === undefined && agents.error !== null)
    return (
      <ErrorView
        error={agents.error}
        title="The agents could not be read"
        onRetry={() => void agents.refetch()}
        compact
      />
    );
  if (agents.data === undefined) return <PageSkeleton label="Reading the agents" />;
  if (firstAgent === undefined)
    return <EmptyState title="No agents" text="The manifest of the folder has none to run." />;
  const agent = agentId ?? firstAgent;
  const initial = last?.body === undefined ? emptyDraft(agent) : fresh(draftOf(agent, last.body));
  return (
    <section className="runs-new" aria-label="New run">
      <header>
        <h1>New run</h1>
        <Checkbox
          label="On a new thread"
          description={isOnThread ? undefined : 'Its thread is deleted after 72 hours'}
          checked={isOnThread}
          onChange={(event) => setIsOnThread(event.currentTarget.checked)}
        />
      </header>
      <Composer
        threadId={null}
        makeThread={isOnThread ? newThread : undefined}
        draft={changed ?? initial}
        onDraft={setChanged}
      />
    </section>
  );
}

async function newThread(): Promise<string> {
  return (await createThread({ body: {}, throwOnError: true })).data.thread_id;
}

/** The same run on another thread, without what belongs to the old one. */
function fresh(draft: Draft): Draft {
  return { ...draft, start: 'input', checkpointId: '', checkpointNs: '' };
}

function OpenById(): ReactNode {
  const navigate = useNavigate();
  const [id, setId] = useState('');
  const isWhole = /^.+_[0-9a-f-]{36}$/.test(id.trim());
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        const run_id = id.trim();
        if (isWhole) void navigate(runPath({ run_id, thread_id: run_id.slice(0, -37) }));
      }}
    >
      <TextInput
        aria-label="Open a run by its id"
        placeholder="Open by id: thread_uuid"
        className="mono-input"
        value={id}
        error={id !== '' && !isWhole ? 'A run id is the thread’s id, _ and a uuid' : undefined}
        onChange={(event) => setId(event.currentTarget.value)}
      />
    </form>
  );
}
