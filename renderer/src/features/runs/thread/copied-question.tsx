import type { ReactNode } from 'react';
import { answerRequest } from '../../../api/send-run.ts';
import { QuestionPanel } from '../../../ui/questions/question-panel.tsx';
import { useSendRun } from '../run-actions.ts';
import { useHead } from '../run-queries.ts';

interface CopiedQuestionProps {
  /** A thread without runs. */
  readonly threadId: string;
  readonly agentId: string | undefined;
}

/** The questions that came along with a copy of a thread: the first run of the copy answers them. */
export function CopiedQuestion({ threadId, agentId }: CopiedQuestionProps): ReactNode {
  const head = useHead(threadId);
  const send = useSendRun();
  const questions = head.data?.interrupts ?? [];
  if (questions.length === 0) return undefined;
  const thread = { thread_id: threadId, ...(agentId !== undefined && { agent_id: agentId }) };
  return (
    <QuestionPanel
      label="What the thread waits for"
      questions={questions}
      isSending={send.isPending}
      error={send.error}
      onAnswer={(answers) => send.mutate(answerRequest(thread, answers))}
    />
  );
}
