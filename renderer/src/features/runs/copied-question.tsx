import type { ReactNode } from 'react';
import { ErrorView } from '../../ui/error-view.tsx';
import { AnswerForm } from './interrupt-panel.tsx';
import { answerRequest, useSendRun } from './run-actions.ts';
import { useHead } from './run-queries.ts';
import './payload.css';

interface CopiedQuestionProps {
  /** A thread without runs. */
  readonly threadId: string;
  readonly agentId: string | undefined;
}

/** The questions that came along with a copy of a thread: the first run of the copy answers them. */
export function CopiedQuestion({ threadId, agentId }: CopiedQuestionProps): ReactNode {
  const head = useHead(threadId, true);
  const send = useSendRun();
  const interrupts = head.data?.interrupts ?? [];
  if (interrupts.length === 0) return undefined;
  return (
    <section className="interrupt" aria-label="What the thread waits for">
      <AnswerForm
        interrupts={interrupts}
        isSending={send.isPending}
        onAnswer={(answers) =>
          send.mutate(
            answerRequest(
              { thread_id: threadId, ...(agentId !== undefined && { agent_id: agentId }) },
              interrupts.length,
              answers,
            ),
          )
        }
      />
      {send.error !== null && (
        <ErrorView compact error={send.error} title="The answer was not sent" />
      )}
    </section>
  );
}
