import { Button, SegmentedControl, Textarea } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { isRecord } from '../../api/json-record.ts';
import { JsonEditor } from '../json/json-editor.tsx';
import { JsonView } from '../json/json-view.tsx';
import { needsText, readQuestion } from './read-question.ts';
import { Fact, Facts } from '../facts.tsx';

type AnswerKind = 'choice' | 'text' | 'json';

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

/** One question, and an answer to it: a choice, text or JSON. */
export function QuestionFields({ value, action, onAnswer }: QuestionFieldsProps): ReactNode {
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
    <fieldset className="question stack">
      <legend>{question ?? 'An answer is needed'}</legend>
      {details.length > 0 && (
        <Facts>
          {details.map(([name, detail]) => (
            <Fact key={name} name={name}>
              {isNested(detail) ? (
                <JsonView value={detail} label={name} maxHeight={160} />
              ) : (
                [detail].flat().map(String).join(', ')
              )}
            </Fact>
          ))}
        </Facts>
      )}
      <div className="question-answer row wrap">
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
          <div className="row wrap" role="radiogroup" aria-label="Answer">
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
