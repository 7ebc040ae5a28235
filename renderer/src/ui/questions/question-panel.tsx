import { Button } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { ErrorView } from '../error-view.tsx';
import { QuestionFields } from './question-fields.tsx';
import './questions.css';

/** A question of an agent. */
export interface OpenQuestion {
  readonly id: string;
  readonly value: unknown;
}

interface QuestionPanelProps {
  readonly label: string;
  /** All that wait; without any there is no form. */
  readonly questions: readonly OpenQuestion[];
  readonly isSending: boolean;
  /** Why the answers were not sent. */
  readonly error: Error | null;
  readonly onAnswer: (answers: ReadonlyMap<string, unknown>) => void;
  /** Shown below the form. */
  readonly children?: ReactNode;
}

/** The questions of a thread with a form for the answers: the same on every page that shows them. */
export function QuestionPanel(props: QuestionPanelProps): ReactNode {
  const { label, questions, isSending, error, onAnswer, children } = props;
  return (
    <section className="questions" aria-label={label}>
      {questions.length > 0 && (
        <QuestionForm
          key={questions.map(({ id }) => id).join()}
          questions={questions}
          isSending={isSending}
          onAnswer={onAnswer}
        />
      )}
      {children}
      {error !== null && <ErrorView compact error={error} title="The run was not resumed" />}
    </section>
  );
}

type QuestionFormProps = Pick<QuestionPanelProps, 'questions' | 'isSending' | 'onAnswer'>;

/** A form for every question; answers are given together. */
function QuestionForm({ questions, isSending, onAnswer }: QuestionFormProps): ReactNode {
  const [answers, setAnswers] = useState<ReadonlyMap<string, unknown>>(new Map());
  const isComplete = questions.every(({ id }) => answers.has(id));
  const change = (id: string, answer: { readonly value: unknown } | undefined): void =>
    setAnswers((before) => {
      const next = new Map(before);
      if (answer === undefined) next.delete(id);
      else next.set(id, answer.value);
      return next;
    });
  return (
    <form
      className="stack"
      onSubmit={(submit) => {
        submit.preventDefault();
        if (isComplete) onAnswer(answers);
      }}
    >
      {questions.map(({ id, value }, index) => (
        <QuestionFields
          key={id}
          value={value}
          action={
            index === questions.length - 1 && (
              <Button
                type="submit"
                size="compact-sm"
                variant="filled"
                disabled={!isComplete}
                loading={isSending}
              >
                Resume
              </Button>
            )
          }
          onAnswer={(answer) => change(id, answer)}
        />
      ))}
    </form>
  );
}
