import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { openRunStream, type RunStream } from '../../../api/run-stream.ts';
import type { LiveConversation } from '../../../ui/messages/message-list.tsx';
import { createLiveMessages } from '../../../ui/messages/live-messages.ts';
import { threadKeys } from '../../../api/queries/thread-keys.ts';

/** The messages of one run so far. */
interface StreamedRun extends LiveConversation {
  readonly runId: string;
}

/** The growing text is parsed as Markdown at most this often: faster than reading speed. */
const everyMs = 80;

/** Follows a run's tokens; once it has ended and the thread's state is read again, the state has all messages. */
export function useLiveRun(
  threadId: string,
  runId: string | undefined,
): LiveConversation | undefined {
  const queryClient = useQueryClient();
  const [streamed, setStreamed] = useState<StreamedRun>();
  useEffect(() => {
    if (runId === undefined) return undefined;
    let isCurrent = true;
    const stream = openRunStream({ threadId, runId, modes: ['messages'], subgraphs: false });
    const readMessages = createReader(stream);
    let timer: ReturnType<typeof setTimeout> | undefined;
    const show = (isRunning: boolean): void => {
      clearTimeout(timer);
      timer = undefined;
      setStreamed({ runId, messages: readMessages(), isRunning });
    };
    const onChange = (): void => {
      const { connection } = stream.getSnapshot();
      const isRunning = connection !== 'ended' && connection !== 'failed';
      if (isRunning) {
        timer ??= setTimeout(() => show(true), everyMs);
        return;
      }
      show(false);
      const isRead = queryClient.invalidateQueries({ queryKey: threadKeys.values(threadId) });
      void isRead.then(() => {
        if (isCurrent) setStreamed(undefined);
      });
    };
    const leave = stream.subscribe(onChange);
    return () => {
      isCurrent = false;
      clearTimeout(timer);
      leave();
      stream.close();
      setStreamed(undefined);
    };
  }, [threadId, runId, queryClient]);
  return streamed?.runId === runId ? streamed : undefined;
}

/** Returns a function that reads new events and returns all messages so far. */
function createReader(stream: RunStream): () => readonly unknown[] {
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
