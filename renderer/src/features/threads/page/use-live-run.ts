import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { openRunStream, type RunStream } from '../../../api/run-stream.ts';
import type { LiveConversation } from '../../../ui/messages/message-list.tsx';
import { createLiveMessages } from '../../../ui/messages/live-messages.ts';

/** What one run has said so far. */
interface Heard extends LiveConversation {
  readonly runId: string;
}

/** Follows a run's tokens; once it has ended and the thread's state is read again, the state says it all. */
export function useLiveRun(
  threadId: string,
  runId: string | undefined,
): LiveConversation | undefined {
  const queryClient = useQueryClient();
  const [heard, setHeard] = useState<Heard>();
  useEffect(() => {
    if (runId === undefined) return undefined;
    let isCurrent = true;
    const stream = openRunStream({ threadId, runId, modes: ['messages'], subgraphs: false });
    const hear = createListener(stream);
    const onChange = (): void => {
      const { connection } = stream.getSnapshot();
      const isRunning = connection !== 'ended' && connection !== 'failed';
      setHeard({ runId, messages: hear(), isRunning });
      if (isRunning) return;
      const isRead = queryClient.invalidateQueries({ queryKey: ['threads', 'one', threadId] });
      void isRead.then(() => {
        if (isCurrent) setHeard(undefined);
      });
    };
    const leave = stream.subscribe(onChange);
    return () => {
      isCurrent = false;
      leave();
      stream.close();
      setHeard(undefined);
    };
  }, [threadId, runId, queryClient]);
  return heard?.runId === runId ? heard : undefined;
}

/** Answers all messages so far, having taken what came since the last call. */
function createListener(stream: RunStream): () => readonly unknown[] {
  const live = createLiveMessages();
  let next = 0;
  return () => {
    const { log } = stream.getSnapshot();
    for (next = Math.max(next, log.first); next < log.end; next += 1) {
      const event = log.get(next);
      if (event?.type === 'messages' && event.data !== '') live.take(JSON.parse(event.data));
    }
    return live.list();
  };
}
