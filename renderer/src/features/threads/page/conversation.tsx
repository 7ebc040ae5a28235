import { Button } from '@mantine/core';
import { IconArrowDown } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useMemo, useState } from 'react';
import { useParams } from 'react-router';
import type { Run, ThreadWithValues } from '../../../api/generated/types.gen.ts';
import { MessageList } from '../../../ui/messages/message-list.tsx';
import { PageSkeleton } from '../../../ui/page-skeleton.tsx';
import { runCountQuery, threadQuery, versionOf } from '../queries.ts';
import { threadPath } from '../thread-links.ts';
import { ComposeBox } from './compose-box.tsx';
import './conversation.css';
import { Interrupts } from './interrupts.tsx';
import { NothingSaid } from './nothing-said.tsx';
import { RunFailure } from './run-failure.tsx';
import { useLiveRun } from './use-live-run.ts';
import { useStickToEnd } from '../../../ui/use-stick-to-end.ts';

/** What was said on this thread, what is being said, and a box to say more. */
export function Component(): ReactNode {
  const { threadId = '' } = useParams();
  const { data } = useQuery(threadQuery(threadId));
  const newest = useQuery({
    ...runCountQuery(threadId, data === undefined ? '' : versionOf(data.thread)),
    enabled: data !== undefined,
    placeholderData: (old) => old,
  });
  if (data === undefined) return <PageSkeleton />;
  return <Conversation thread={data.thread} newestRun={newest.data?.newest} />;
}

interface ConversationProps {
  readonly thread: ThreadWithValues;
  readonly newestRun: Run | undefined;
}

/** A message that was sent and that the thread's state may not have yet. */
export interface SentMessage {
  readonly id: string;
  readonly text: string;
  readonly runId: string;
}

function Conversation({ thread, newestRun }: ConversationProps): ReactNode {
  const { thread_id: threadId, values, interrupts = [] } = thread;
  const [sent, setSent] = useState<SentMessage>();
  const isGoing = newestRun?.status === 'running' && newestRun.queue_position === undefined;
  const followed = thread.status === 'busy' && isGoing ? newestRun.run_id : sent?.runId;
  const live = useLiveRun(threadId, followed);
  const messages = useMemo(() => withSent(values['messages'], sent), [values, sent]);
  const { scroller, isAtEnd, toEnd } = useStickToEnd([messages, live]);
  const runPath = newestRun && threadPath(threadId, `runs/${encodeURIComponent(newestRun.run_id)}`);
  const isEmpty = messages.length === 0 && (live?.messages.length ?? 0) === 0;
  return (
    <div className="conversation">
      <div className="conversation-scroll" ref={scroller}>
        {!isEmpty && <MessageList messages={messages} live={live} />}
        {interrupts.length > 0 && <Interrupts interrupts={interrupts} runPath={runPath} />}
        {newestRun?.error !== undefined && thread.status === 'error' && runPath !== undefined && (
          <RunFailure error={newestRun.error} runPath={runPath} />
        )}
        {isEmpty && <NothingSaid thread={thread} runPath={runPath} />}
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
      <ComposeBox
        threadId={threadId}
        newestRun={newestRun}
        isBusy={thread.status === 'busy'}
        hasMessages={Array.isArray(values['messages'])}
        onSent={setSent}
      />
    </div>
  );
}

function withSent(messages: unknown, sent: SentMessage | undefined): readonly unknown[] {
  const known: readonly unknown[] = Array.isArray(messages) ? messages : [];
  const isKnown = (id: string): boolean =>
    known.some((one) => typeof one === 'object' && one !== null && 'id' in one && one.id === id);
  if (sent === undefined || isKnown(sent.id)) return known;
  return [...known, { type: 'human', id: sent.id, content: sent.text }];
}
