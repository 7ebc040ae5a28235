import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { getAgentSchemasOptions } from '../../api/generated/@tanstack/react-query.gen.ts';
import { isRecord } from '../../api/json-record.ts';
import { ErrorView } from '../../ui/error-view.tsx';
import { JsonEditor } from '../../ui/json/json-editor.tsx';
import { SchemaForm } from '../../ui/schema-form/schema-form.tsx';
import type { JsonSchema } from '../../ui/schema-form/schema-fields.ts';
import { schemaIssues, type SchemaIssue } from '../../ui/schema-form/schema-issues.ts';
import type { Draft } from './composer-draft.ts';

interface InputFieldsProps {
  readonly draft: Draft;
  readonly problem: string | undefined;
  readonly onChange: (part: Partial<Draft>) => void;
}

/** The agent's input: a form made from its schema, or the JSON itself. */
export function InputFields({ draft, problem, onChange }: InputFieldsProps): ReactNode {
  const schemas = useQuery({
    ...getAgentSchemasOptions({ path: { name: draft.agentId } }),
    enabled: draft.agentId !== '',
  });
  const schema = schemas.data?.input_schema;
  return (
    <section className="composer-input" aria-label="Input">
      <header>
        <h3>Input</h3>
        <div role="tablist" aria-label="How the input is given">
          <button
            type="button"
            role="tab"
            aria-selected={!draft.isInputText}
            onClick={() => onChange(toForm(draft))}
          >
            Form
          </button>
          <button
            type="button"
            role="tab"
            aria-selected={draft.isInputText}
            onClick={() =>
              onChange({ isInputText: true, inputText: JSON.stringify(draft.input, null, 2) })
            }
          >
            JSON
          </button>
        </div>
      </header>
      {draft.isInputText ? (
        <JsonEditor
          label="Input as JSON"
          text={draft.inputText}
          error={problem}
          maxHeight={360}
          onChange={(inputText) => onChange({ inputText })}
        />
      ) : schemas.isError ? (
        <ErrorView compact error={schemas.error} title="The agent’s schema could not be read" />
      ) : (
        <SchemaForm
          key={draft.agentId}
          schema={schema}
          value={draft.input}
          onChange={(input) => onChange({ input })}
        />
      )}
      {schema !== undefined && <Advice issues={adviceOf(schema, inputOf(draft))} />}
    </section>
  );
}

/** What the schema has against an input; nobody is told of missing fields before anything is written. */
function adviceOf(schema: JsonSchema, input: Draft['input']): readonly SchemaIssue[] {
  return Object.keys(input).length === 0 ? [] : schemaIssues(schema, input);
}

/** The input as it is written; empty while its text is not an object, or too much to be read with every key. */
function inputOf({ isInputText, input, inputText }: Draft): Draft['input'] {
  if (!isInputText) return input;
  return inputText.length > advisedLength ? {} : (objectIn(inputText) ?? {});
}

const advisedLength = 64 * 1024;

/** What the schema has against the input: told, never in the way. */
function Advice(props: { issues: readonly SchemaIssue[] }): ReactNode {
  if (props.issues.length === 0) return undefined;
  return (
    <ul className="composer-advice" aria-label="What the schema has against it">
      {props.issues.slice(0, 4).map(({ path, message }) => (
        <li key={path + message}>
          {path !== '' && <code>{path}</code>} {message}
        </li>
      ))}
    </ul>
  );
}

/** Back to the form with what the text says, where it is an object; half-written, the form shows what it had. */
function toForm(draft: Draft): Partial<Draft> {
  const input = objectIn(draft.inputText);
  return input === undefined ? { isInputText: false } : { isInputText: false, input };
}

function objectIn(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isRecord(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
