import { ActionIcon, Button, Group, Menu } from '@mantine/core';
import {
  IconCode,
  IconFileExport,
  IconPlayerStop,
  IconPlayerTrackNext,
  IconRefresh,
  IconRepeat,
} from '@tabler/icons-react';
import { useMutation, useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { exportBundle } from '../../../api/export-bundle.ts';
import type { Run } from '../../../api/generated/index.ts';
import { recordedBodyQuery } from '../../../api/queries/recorded-body.ts';
import type { RunStream } from '../../../api/run-stream.ts';
import { useCommands } from '../../../ui/commands.ts';
import { copyText, useCopied } from '../../../ui/copied.ts';
import { ErrorView } from '../../../ui/error-view.tsx';
import { ShortId } from '../../../ui/short-id.tsx';
import { createRestarts, resumedAt } from '../events/restarts.ts';
import { rerunRequest, useCancelRun, useSendRun } from '../run-actions.ts';
import { RunDuration } from '../run-duration.tsx';
import { useIsNewest } from './run-neighbours.ts';
import { isSettled, runUuid } from '../run-queries.ts';
import { RunSandbox } from './run-sandbox.tsx';
import { RunStatus } from '../run-status.tsx';
import { retryRequest } from '../../../api/send-run.ts';
import { resendable, sentRun } from '../../../api/sent-runs.ts';
import {
  followSnippet,
  runSnippet,
  snippetLanguages,
  snippetNames,
  type Destination,
  type SnippetLanguage,
} from '../composer/snippets.ts';
import { TokenHint } from '../composer/token-hint.tsx';
import { useDestination } from '../composer/use-destination.ts';
import { useFold } from '../events/use-fold.ts';
import { useStreamMember } from '../use-run-stream.ts';
import { tip } from '../../../ui/tip.tsx';

/** The run's id, status, attempts, duration and actions. */
export function RunHeader({ run, stream }: { run: Run; stream: RunStream | undefined }): ReactNode {
  const clockOffset = useStreamMember(stream, (snapshot) => snapshot.clockOffset);
  const destination = useDestination();
  const cancel = useCancelRun(run);
  const send = useSendRun();
  const rerun = useMutation({
    mutationFn: () => rerunRequest(run),
    onSuccess: (request) => send.mutate(request),
  });
  const save = useMutation({
    mutationFn: () => exportBundle(run.thread_id, runUuid(run.run_id)),
  });
  const isOver = isSettled(run.status);
  const canCancel = !isOver && run.status !== 'cancelling';
  const isNewest = useIsNewest(run);
  const canRetry = isNewest === true && isRetryable(run);
  const repeated = useRepeatedBody(run);
  const canRepeat = repeated !== undefined;
  useCommands([
    ...(canCancel
      ? [
          {
            id: 'run.cancel',
            label: 'Cancel the run',
            keys: 'c',
            group: 'Run',
            run: () => cancel.mutate(),
          },
        ]
      : []),
    { id: 'run.again', label: 'Re-run', group: 'Run', run: () => rerun.mutate() },
    ...(canRetry
      ? [
          {
            id: 'run.retry',
            label: retryLabel(run),
            group: 'Run',
            run: () => send.mutate(retryRequest(run)),
          },
        ]
      : []),
    {
      id: 'run.export',
      label: 'Export this run as a bundle',
      group: 'Run',
      run: () => save.mutate(),
    },
    ...snippetLanguages.map((language) => ({
      id: `run.copy.${language}`,
      label: `Copy the run as ${snippetNames[language]}`,
      group: 'Run',
      run: () => void copyText(snippetOf(destination, run, language, repeated)),
    })),
  ]);
  const failure = cancel.error ?? rerun.error ?? send.error ?? save.error;
  return (
    <header className="run-header">
      <div className="run-title row wrap">
        <h2>
          Run <ShortId id={run.run_id} length={17} />
        </h2>
        <RunStatus run={run} />
        <span className="run-agent dim" title="Agent">
          {run.agent_id}
        </span>
        <Attempts run={run} stream={stream} />
        <RunDuration run={run} clockOffset={clockOffset ?? 0} />
        <RunSandbox run={run} />
        <Group gap={6} ml="auto">
          {canRetry && (
            <Button
              {...tip(
                `Continues from the thread’s last checkpoint: the ${run.status === 'cancelled' ? 'interrupted' : 'failed'} step is repeated`,
              )}
              size="compact-sm"
              leftSection={<IconPlayerTrackNext size={14} aria-hidden />}
              loading={send.isPending}
              onClick={() => send.mutate(retryRequest(run))}
            >
              {retryLabel(run)}
            </Button>
          )}
          {canCancel && (
            <Button
              size="compact-sm"
              leftSection={<IconPlayerStop size={14} aria-hidden />}
              loading={cancel.isPending}
              onClick={() => cancel.mutate()}
            >
              Cancel
            </Button>
          )}
          {isOver && (
            <Button
              {...tip(
                canRepeat
                  ? 'Sends the same input again'
                  : 'The input is not recorded: runs from the first retained checkpoint',
              )}
              size="compact-sm"
              leftSection={
                canRepeat ? (
                  <IconRepeat size={14} aria-hidden />
                ) : (
                  <IconRefresh size={14} aria-hidden />
                )
              }
              loading={rerun.isPending}
              onClick={() => rerun.mutate()}
            >
              {canRepeat ? 'Re-run' : 'From first checkpoint'}
            </Button>
          )}
          <CopyMenu run={run} repeated={repeated} />
          <ActionIcon
            {...tip('Export this run as a bundle, with its events while they are kept')}
            size="md"
            variant="default"
            aria-label="Export this run as a bundle"
            loading={save.isPending}
            onClick={() => save.mutate()}
          >
            <IconFileExport size={14} aria-hidden />
          </ActionIcon>
        </Group>
      </div>
      {failure !== null && <ErrorView compact error={failure} title="That did not work" />}
    </header>
  );
}

function Attempts({ run, stream }: { run: Run; stream: RunStream | undefined }): ReactNode {
  const { attempt, max_attempts, last_failure } = run;
  const newest = useFold(stream, createRestarts).fold.list().at(-1);
  if (attempt === undefined || attempt < 2) return undefined;
  const resumed = newest?.step === undefined ? undefined : resumedAt(newest);
  const why = last_failure === undefined ? '' : failures[last_failure];
  return (
    <span className="run-attempts clip dim" title={[why, resumed].filter(Boolean).join(' ')}>
      attempt {attempt} of {Math.max(attempt, max_attempts + 1)}
      {last_failure !== undefined && <strong> · {last_failure}</strong>}
      {resumed !== undefined && last_failure !== 'CAN' && <span>, {resumed}</span>}
    </span>
  );
}

const failures = {
  CRASH: 'The guest process ended; the run continued from its last checkpoint.',
  INFRA: 'A worker, a sandbox or a channel was lost; the run continued from its last checkpoint.',
  CAN: 'The thread moved to a new execution in the middle of the run.',
} as const;

function CopyMenu(props: { run: Run; repeated: RequestBody | undefined }): ReactNode {
  const { run, repeated } = props;
  const destination = useDestination();
  const { isCopied, copy } = useCopied();
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <Button size="compact-sm" leftSection={<IconCode size={14} aria-hidden />}>
          {isCopied ? 'Copied' : 'Copy as'}
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        {snippetLanguages.map((language) => (
          <Menu.Item
            key={language}
            onClick={() => copy(snippetOf(destination, run, language, repeated))}
          >
            {snippetNames[language]}
          </Menu.Item>
        ))}
        {destination.needsToken && <TokenHint />}
        {repeated === undefined && (
          <Menu.Label maw={220}>
            Its input is not recorded: these send null, which continues from the thread’s head.
          </Menu.Label>
        )}
        <Menu.Divider />
        <Menu.Item onClick={() => copy(followSnippet(destination, run.run_id))}>
          cURL that follows this run
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}

type RequestBody = Readonly<Record<string, unknown>>;

/** The request that Re-run sends, as it was sent from here or as it is recorded. An answer is not repeated. */
function useRepeatedBody(run: Run): RequestBody | undefined {
  const sent = resendable(run.run_id)?.body;
  const { data } = useQuery({ ...recordedBodyQuery(run.run_id), enabled: sent === undefined });
  return sent ?? (data && 'input' in data ? data : undefined);
}

/** The request that created the run; where it is unknown, one that continues from the head. */
function snippetOf(
  to: Destination,
  run: Run,
  language: SnippetLanguage,
  repeated: RequestBody | undefined,
): string {
  const sent = sentRun(run.run_id);
  const { agent_id, context } = run;
  const body = sent?.body ?? repeated ?? { agent_id, input: null, ...(context && { context }) };
  const threadId = sent?.isStateless === true ? null : run.thread_id;
  return runSnippet(language, { ...to, threadId, body });
}

/** A run that was cancelled did not fail: it continues. */
function retryLabel({ status }: Run): string {
  return status === 'cancelled' ? 'Continue from where it stopped' : 'Retry from failure';
}

/** LangGraph treats a failed `__start__` as done: continuing from there would complete without running anything. */
function isRetryable({ status, error }: Run): boolean {
  return status === 'cancelled' || (status === 'error' && error?.node !== '__start__');
}
