import { Button } from '@mantine/core';
import { IconArrowDown } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useCallback, useMemo, useState } from 'react';
import { Link, useLocation, useParams } from 'react-router';
import type { ThreadWithValues } from '../../../api/generated/types.gen.ts';
import { useInView } from '../../../state/in-view.ts';
import { formatNumber } from '../../../ui/format.ts';
import { MessageList } from '../../../ui/messages/message-list.tsx';
import { type ReadMessage, readMessage } from '../../../ui/messages/read-message.ts';
import { OpenInstead } from '../../../ui/open-instead.tsx';
import { PageSkeleton } from '../../../ui/page-skeleton.tsx';
import { threadQuery, threadRunsQuery, type ThreadRuns, versionOf } from '../queries.ts';
import { chosenTab } from '../thread-links.ts';
import { ComposeBox } from './compose-box.tsx';
import './conversation.css';
import { MessageActions } from './message-actions.tsx';
import { NoMessages } from './no-messages.tsx';
import { OpenQuestions } from './open-questions.tsx';
import { RunFailure } from './run-failure.tsx';
import { useCopiedAgent } from '../../../api/queries/copied-agent.ts';
import { type SentMessage, withSent } from './sent-messages.ts';
import { useLiveRun } from './use-live-run.ts';
import { useStickToEnd } from '../../../ui/use-stick-to-end.ts';
import { runPath, threadPath } from '../../../state/page-paths.ts';

/** The messages of this thread, those being streamed, and a box to send more. */
export function Component(): ReactNode {
  const { threadId = '' } = useParams();
  const { data } = useQuery(threadQuery(threadId));
  const runs = useQuery({
    ...threadRunsQuery(threadId, data === undefined ? '' : versionOf(data.thread)),
    enabled: data !== undefined,
    placeholderData: (old) => old,
  });
  if (data === undefined) return <PageSkeleton />;
  return <Conversation thread={data.thread} runs={runs.data} />;
}

interface ConversationProps {
  readonly thread: ThreadWithValues;
  readonly runs: ThreadRuns | undefined;
}

function Conversation({ thread, runs }: ConversationProps): ReactNode {
  const { thread_id: threadId, values, interrupts = [] } = thread;
  useInView(threadId);
  const newestRun = runs?.newest;
  const copiedAgent = useCopiedAgent(threadId, runs?.total === 0);
  const isBusy = thread.status === 'busy';
  const activeRun = isBusy ? runs?.active : undefined;
  const [sent, setSent] = useState<readonly SentMessage[]>([]);
  const followed = activeRun?.run_id ?? sent.findLast(({ isQueued }) => !isQueued)?.runId;
  const live = useLiveRun(threadId, followed);
  const { shown, waiting } = useMemo(
    () => withSent(values['messages'], sent, { isBusy, followed }),
    [values, sent, isBusy, followed],
  );
  const newestMessage = readMessage(shown.at(-1)).id ?? '';
  const actionsOf = useCallback(
    (message: ReadMessage) => (
      <MessageActions threadId={threadId} newestMessage={newestMessage} message={message} />
    ),
    [threadId, newestMessage],
  );
  const { scroller, isAtEnd, toEnd } = useStickToEnd([shown, live, waiting]);
  const newestPath = newestRun && runPath(newestRun);
  const isEmpty = shown.length + waiting.length + (live?.messages.length ?? 0) === 0;
  const queued = activeRun === undefined ? 0 : (runs?.queued ?? 0);
  const isChosen = useLocation().state === chosenTab;
  const hasEnded = thread.status === 'idle' || thread.status === 'error';
  // What there is to see of such a thread is its newest run: its input, output and trace, or its failure.
  if (isEmpty && hasEnded && interrupts.length === 0 && newestPath !== undefined && !isChosen)
    return <OpenInstead to={newestPath} />;
  return (
    <div className="pane">
      <div className="pane">
        <div className="conversation-scroll scroll" ref={scroller}>
          {!isEmpty && (
            <MessageList messages={shown} live={live} queued={waiting} actionsOf={actionsOf} />
          )}
          {queued > 0 && <Queue threadId={threadId} count={queued} />}
          {interrupts.length > 0 && (
            <OpenQuestions
              threadId={threadId}
              agentId={newestRun?.agent_id ?? copiedAgent}
              questions={interrupts}
            />
          )}
          {isEmpty && <NoMessages thread={thread} runPath={newestPath} />}
        </div>
        {!isAtEnd && (
          <Button
            className="conversation-to-end"
            size="compact-sm"
            leftSection={<IconArrowDown size={14} aria-hidden />}
            onClick={toEnd}
          >
            Latest
          </Button>
        )}
      </div>
      {/* Not in what scrolls: it comes after the messages, and would be below the window. */}
      {newestRun?.error !== undefined && thread.status === 'error' && newestPath !== undefined && (
        <RunFailure error={newestRun.error} runPath={newestPath} />
      )}
      <ComposeBox
        threadId={threadId}
        agentId={newestRun?.agent_id ?? copiedAgent}
        activeRun={activeRun}
        isBusy={isBusy}
        hasMessages={Array.isArray(values['messages'])}
        onSent={(message) => setSent((before) => [...before, message])}
      />
    </div>
  );
}

function Queue({ threadId, count }: { threadId: string; count: number }): ReactNode {
  return (
    <p className="hint" role="status">
      {count === 1 ? '1 run waits' : `${formatNumber(count)} runs wait`} until this one has ended.{' '}
      <Link to={threadPath(threadId, 'runs')}>Open runs</Link>
    </p>
  );
}
