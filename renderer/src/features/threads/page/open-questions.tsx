import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import type { Interrupt } from '../../../api/generated/types.gen.ts';
import { answerRequest, sendRun } from '../../../api/send-run.ts';
import { QuestionPanel } from '../../../ui/questions/question-panel.tsx';
import { threadChanged } from '../../../api/queries/thread-keys.ts';

interface OpenQuestionsProps {
  readonly threadId: string;
  readonly agentId: string | undefined;
  readonly questions: readonly Interrupt[];
}

/** The questions that the thread waits for; the conversation goes on here with the answer. */
export function OpenQuestions({ threadId, agentId, questions }: OpenQuestionsProps): ReactNode {
  const queryClient = useQueryClient();
  const thread = { thread_id: threadId, ...(agentId !== undefined && { agent_id: agentId }) };
  const send = useMutation({
    mutationFn: (answers: ReadonlyMap<string, unknown>) => sendRun(answerRequest(thread, answers)),
    onSuccess: () => threadChanged(queryClient, threadId),
  });
  return (
    <QuestionPanel
      label="What the thread waits for"
      questions={questions}
      isSending={send.isPending}
      error={send.error}
      onAnswer={(answers) => send.mutate(answers)}
    />
  );
}
