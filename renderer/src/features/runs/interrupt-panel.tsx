import { Button, SegmentedControl, Textarea } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import type { Run } from '../../api/generated/index.ts';
import { ErrorView } from '../../ui/error-view.tsx';
import { JsonEditor } from '../../ui/json/json-editor.tsx';
import { JsonView } from '../../ui/json/json-view.tsx';
import { shortenMiddle } from '../../ui/format.ts';
import { needsText, readQuestion } from './interrupt-question.ts';
import { isRecord, textOf } from '../../api/json-record.ts';
import { answerRequest, retryRequest, useSendRun } from './run-actions.ts';
import { useIsNewest } from './run-neighbours.ts';
import { useHead } from './run-queries.ts';

/** A question of an agent. */
export interface Interrupt {
  readonly id: string;
  readonly value: unknown;
}

type AnswerKind = 'choice' | 'text' | 'json';

/** What the run waits for: a form per question, made from its value; or a breakpoint to continue from. */
export function InterruptPanel({ run }: { run: Run }): ReactNode {
  const head = useHead(run.thread_id, true);
  const send = useSendRun();
  const interrupts = interruptsOf(run.output);
  const open = new Set(head.data?.interrupts?.map(({ id }) => id));
  const waiting = interrupts.filter(({ id }) => open.has(id));
  const checkpoint = head.data?.checkpoint.checkpoint_id;
  const isNewest = useIsNewest(run);
  const isAtBreakpoint = interrupts.length === 0 && isNewest === true;
  if (head.data === undefined || isNewest === undefined) return undefined;
  const resume = (answers: ReadonlyMap<string, unknown>): void => {
    send.mutate(answerRequest(run, interrupts.length, answers));
  };
  return (
    <section className="interrupt" aria-label="What the run waits for">
      {isAtBreakpoint ? (
        <Breakpoint onContinue={() => send.mutate(retryRequest(run))} isSending={send.isPending} />
      ) : waiting.length === 0 ? (
        <p className="interrupt-note">
          {interrupts.length === 0
            ? 'Stopped at a breakpoint; the thread has continued since.'
            : 'This question has been answered, or the thread has continued.'}
        </p>
      ) : (
        <AnswerForm
          key={waiting.map(({ id }) => id).join()}
          interrupts={waiting}
          isSending={send.isPending}
          onAnswer={resume}
        />
      )}
      {checkpoint !== undefined && (isAtBreakpoint || waiting.length > 0) && (
        <p className="interrupt-note">
          Continues from checkpoint <code title={checkpoint}>{shortenMiddle(checkpoint)}</code> of
          this thread, as a new run.
        </p>
      )}
      {send.error !== null && (
        <ErrorView compact error={send.error} title="The run was not resumed" />
      )}
    </section>
  );
}

function Breakpoint(props: { onContinue(): void; isSending: boolean }): ReactNode {
  return (
    <div className="interrupt-question">
      <strong>Stopped at a breakpoint</strong>
      <Button variant="filled" loading={props.isSending} onClick={props.onContinue}>
        Continue
      </Button>
    </div>
  );
}

interface AnswerFormProps {
  readonly interrupts: readonly Interrupt[];
  readonly isSending: boolean;
  readonly onAnswer: (answers: ReadonlyMap<string, unknown>) => void;
}

/** A form for every question; answers are given together. */
export function AnswerForm({ interrupts, isSending, onAnswer }: AnswerFormProps): ReactNode {
  const [answers, setAnswers] = useState<ReadonlyMap<string, unknown>>(new Map());
  const isComplete = interrupts.every(({ id }) => answers.has(id));
  return (
    <form
      className="interrupt-form"
      onSubmit={(submit) => {
        submit.preventDefault();
        if (isComplete) onAnswer(answers);
      }}
    >
      {interrupts.map(({ id, value }, index) => (
        <QuestionFields
          key={id}
          value={value}
          action={
            index === interrupts.length - 1 && (
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
          onAnswer={(answer) =>
            setAnswers((before) => {
              const next = new Map(before);
              if (answer === undefined) next.delete(id);
              else next.set(id, answer.value);
              return next;
            })
          }
        />
      ))}
    </form>
  );
}

interface QuestionFieldsProps {
  readonly value: unknown;
  /** Shown after the answer. */
  readonly action: ReactNode;
  readonly onAnswer: (answer: { readonly value: unknown } | undefined) => void;
}

const yesOrNo = [
  { label: 'Yes', value: true },
  { label: 'No', value: false },
] as const;

function QuestionFields({ value, action, onAnswer }: QuestionFieldsProps): ReactNode {
  const { question, options, details } = readQuestion(value);
  const choices = options.length > 0 ? options : yesOrNo;
  const [kind, setKind] = useState<AnswerKind>(
    options.length === 0 && needsText(question) ? 'text' : 'choice',
  );
  const [chosen, setChosen] = useState<number>();
  const [text, setText] = useState('');
  const [json, setJson] = useState('');
  // An empty text is no answer, and no mistake yet.
  const problem = kind === 'json' && json.trim() !== '' ? jsonProblem(json) : undefined;

  function change(next: {
    kind?: AnswerKind;
    chosen?: number;
    text?: string;
    json?: string;
  }): void {
    const now = { kind, chosen, text, json, ...next };
    setKind(now.kind);
    setChosen(now.chosen);
    setText(now.text);
    setJson(now.json);
    onAnswer(answerOf(now, choices));
  }

  return (
    <fieldset className="interrupt-question">
      <legend>{question ?? 'The run waits for an answer'}</legend>
      {details.length > 0 && (
        <dl>
          {details.map(([name, detail]) => (
            <div key={name}>
              <dt>{name}</dt>
              <dd>
                {isNested(detail) ? (
                  <JsonView value={detail} label={name} maxHeight={160} />
                ) : (
                  [detail].flat().map(String).join(', ')
                )}
              </dd>
            </div>
          ))}
        </dl>
      )}
      <div className="interrupt-answer">
        <SegmentedControl
          aria-label="Kind of answer"
          size="xs"
          value={kind}
          onChange={(next) => change({ kind: next })}
          data={[
            { value: 'choice', label: options.length > 0 ? 'Options' : 'Yes or no' },
            { value: 'text', label: 'Text' },
            { value: 'json', label: 'JSON' },
          ]}
        />
        {kind === 'choice' && (
          <div className="interrupt-choices" role="radiogroup" aria-label="Answer">
            {choices.map(({ label }, index) => (
              <Button
                key={label}
                size="compact-sm"
                role="radio"
                aria-checked={chosen === index}
                variant={chosen === index ? 'filled' : 'default'}
                onClick={() => change({ chosen: index })}
              >
                {label}
              </Button>
            ))}
          </div>
        )}
        {kind === 'text' && (
          <Textarea
            aria-label="Answer as text"
            autosize
            minRows={1}
            maxRows={8}
            value={text}
            onChange={(event) => change({ text: event.currentTarget.value })}
          />
        )}
        {kind === 'json' && (
          <JsonEditor
            label="Answer as JSON"
            text={json}
            error={problem}
            onChange={(next) => change({ json: next })}
          />
        )}
        {action}
      </div>
    </fieldset>
  );
}

function answerOf(
  now: { kind: AnswerKind; chosen: number | undefined; text: string; json: string },
  choices: readonly { readonly value: unknown }[],
): { readonly value: unknown } | undefined {
  switch (now.kind) {
    case 'choice': {
      const choice = now.chosen === undefined ? undefined : choices[now.chosen];
      return choice === undefined ? undefined : { value: choice.value };
    }
    case 'text':
      return now.text === '' ? undefined : { value: now.text };
    case 'json':
      return jsonProblem(now.json) === undefined ? { value: JSON.parse(now.json) } : undefined;
  }
}

function jsonProblem(text: string): string | undefined {
  try {
    JSON.parse(text);
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : 'This is not JSON.';
  }
}

/** True for a value that a line of text cannot show. */
function isNested(value: unknown): boolean {
  if (!Array.isArray(value)) return isRecord(value);
  return value.some((one) => typeof one === 'object' && one !== null);
}

/** The questions that a run ended with. */
export function interruptsOf(output: Run['output']): readonly Interrupt[] {
  const list = isRecord(output) ? output['__interrupt__'] : undefined;
  if (!Array.isArray(list)) return [];
  return list.flatMap((one: unknown) => {
    const id = isRecord(one) ? textOf(one, 'id') : undefined;
    return id === undefined || !isRecord(one) ? [] : [{ id, value: one['value'] }];
  });
}
