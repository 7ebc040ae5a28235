import { Button } from '@mantine/core';
import type { ReactNode } from 'react';
import type { Run } from '../../api/generated/index.ts';
import { isRecord, textOf } from '../../api/json-record.ts';
import { answerRequest, retryRequest } from '../../api/send-run.ts';
import { ErrorView } from '../../ui/error-view.tsx';
import { shortenMiddle } from '../../ui/format.ts';
import { type OpenQuestion, QuestionPanel } from '../../ui/questions/question-panel.tsx';
import { useSendRun } from './run-actions.ts';
import { useHead } from './run-queries.ts';

interface InterruptPanelProps {
  readonly run: Run;
  /** Only the newest run of a thread waits for all of its questions, or at a breakpoint. Undefined: not known yet. */
  readonly isNewest: boolean | undefined;
  /** Called with the run that continues; without it, that run is opened. */
  readonly onSent?: ((run: Run) => void) | undefined;
}

/** What the run waits for: a form per question, made from its value; or a breakpoint to continue from. */
export function InterruptPanel({ run, isNewest, onSent }: InterruptPanelProps): ReactNode {
  const head = useHead(run.thread_id, run.run_id);
  const send = useSendRun(onSent);
  if (head.isError && head.data === undefined) {
    return (
      <ErrorView
        compact
        error={head.error}
        title="The question could not be read"
        onRetry={() => void head.refetch()}
      />
    );
  }
  if (head.data === undefined || isNewest === undefined) return undefined;
  const asked = interruptsOf(run.output);
  const questions = openQuestions(asked, head.data.interrupts ?? [], isNewest);
  const checkpoint = head.data.checkpoint.checkpoint_id;
  const isAtBreakpoint = asked.length === 0 && questions.length === 0 && isNewest;
  const isWaiting = isAtBreakpoint || questions.length > 0;
  return (
    <QuestionPanel
      label="What the run waits for"
      questions={questions}
      isSending={send.isPending}
      error={send.error}
      onAnswer={(answers) => send.mutate(answerRequest(run, answers))}
    >
      {isAtBreakpoint && (
        <Breakpoint onContinue={() => send.mutate(retryRequest(run))} isSending={send.isPending} />
      )}
      {!isWaiting && (
        <p className="questions-note dim small">
          {asked.length === 0
            ? 'Stopped at a breakpoint; the thread has continued since.'
            : 'This question has been answered, or the thread has continued.'}
        </p>
      )}
      {checkpoint !== undefined && isWaiting && (
        <p className="questions-note dim small">
          Continues from checkpoint <code title={checkpoint}>{shortenMiddle(checkpoint)}</code> of
          this thread, as a new run.
        </p>
      )}
    </QuestionPanel>
  );
}

function Breakpoint(props: { onContinue(): void; isSending: boolean }): ReactNode {
  return (
    <div className="question stack">
      <strong>Stopped at a breakpoint</strong>
      <Button variant="filled" loading={props.isSending} onClick={props.onContinue}>
        Continue
      </Button>
    </div>
  );
}

/** Of the newest run all that its thread has open: a changed state gives its questions other ids. */
function openQuestions(
  asked: readonly OpenQuestion[],
  open: readonly OpenQuestion[],
  isNewest: boolean,
): readonly OpenQuestion[] {
  const whole = open.map((one) => asked.find(({ id }) => id === one.id) ?? one);
  return isNewest ? whole : whole.filter((one) => asked.includes(one));
}

/** The questions that a run ended with. */
function interruptsOf(output: Run['output']): readonly OpenQuestion[] {
  const list = isRecord(output) ? output['__interrupt__'] : undefined;
  if (!Array.isArray(list)) return [];
  return list.flatMap((one: unknown) => {
    const id = isRecord(one) ? textOf(one, 'id') : undefined;
    return id === undefined || !isRecord(one) ? [] : [{ id, value: one['value'] }];
  });
}
