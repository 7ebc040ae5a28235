import { Tabs } from '@mantine/core';
import type { ReactNode } from 'react';
import { ErrorView } from '../../../ui/error-view.tsx';
import { JsonEditor } from '../../../ui/json/json-editor.tsx';
import { SchemaForm } from '../../../ui/schema-form/schema-form.tsx';
import type { JsonSchema } from '../../../ui/schema-form/schema-fields.ts';
import { schemaIssues, type SchemaIssue } from '../../../ui/schema-form/schema-issues.ts';
import { objectIn, type WrittenValue } from './written-value.ts';

interface ValueFieldsProps {
  /** `Input`, as labelled on the page. */
  readonly name: string;
  /** Undefined while it is being read, and when that failed. */
  readonly schema: JsonSchema | undefined;
  /** Why the schema could not be read. */
  readonly failure: unknown;
  /** It has no form. */
  readonly isJsonOnly: boolean;
  readonly note?: string | undefined;
  readonly written: WrittenValue;
  /** An empty form as text. */
  readonly emptyText: string;
  readonly problem: string | undefined;
  readonly onChange: (written: WrittenValue) => void;
}

/** A value of a new run: a form made from its schema, or the JSON itself. */
export function ValueFields(props: ValueFieldsProps): ReactNode {
  const { name, schema, failure, isJsonOnly, note, written, emptyText, problem, onChange } = props;
  const { value } = written;
  const isEmpty = Object.keys(value).length === 0;
  const asText = isEmpty ? emptyText : JSON.stringify(value, null, 2);
  const way = written.isText || isJsonOnly ? 'json' : 'form';
  const fields =
    way === 'json' ? (
      <JsonEditor
        label={`${name} as JSON`}
        text={written.text}
        error={problem}
        maxHeight={360}
        onChange={(text) => onChange({ ...written, isText: true, text })}
      />
    ) : failure !== null ? (
      <ErrorView compact error={failure} title="The agent’s schema could not be read" />
    ) : (
      <SchemaForm
        schema={schema}
        value={value}
        onChange={(next) => onChange({ ...written, value: next })}
      />
    );
  return (
    <section aria-label={name}>
      <Tabs
        value={way}
        onChange={(next) => {
          if (next === 'form') onChange(toForm(written));
          else if (!written.isText) onChange({ ...written, isText: true, text: asText });
        }}
      >
        <header className="composer-head row">
          <h3>{name}</h3>
          {!isJsonOnly && (
            <Tabs.List aria-label={`How the ${name.toLowerCase()} is given`}>
              <Tabs.Tab value="form">Form</Tabs.Tab>
              <Tabs.Tab value="json">JSON</Tabs.Tab>
            </Tabs.List>
          )}
        </header>
        {note !== undefined && <p className="dim small">{note}</p>}
        {isJsonOnly ? fields : <Tabs.Panel value={way}>{fields}</Tabs.Panel>}
      </Tabs>
      {schema !== undefined && !isJsonOnly && (
        <Advice issues={adviceOf(schema, advisedOf(written))} />
      )}
    </section>
  );
}

/** The schema's issues with a value; missing fields are not reported before anything is entered. */
function adviceOf(schema: JsonSchema, value: WrittenValue['value']): readonly SchemaIssue[] {
  return Object.keys(value).length === 0 ? [] : schemaIssues(schema, value);
}

/** The entered value; empty while its text is not an object, or too long to be parsed with every key. */
function advisedOf({ isText, value, text }: WrittenValue): WrittenValue['value'] {
  if (!isText) return value;
  return text.length > advisedLength ? {} : (objectIn(text) ?? {});
}

const advisedLength = 64 * 1024;

/** The schema's issues with the value: shown, never blocking. */
function Advice(props: { issues: readonly SchemaIssue[] }): ReactNode {
  if (props.issues.length === 0) return undefined;
  return (
    <ul className="bullets dim small" aria-label="Issues with the schema">
      {props.issues.slice(0, 4).map(({ path, message }) => (
        <li key={path + message}>
          {path !== '' && <code>{path}</code>} {message}
        </li>
      ))}
    </ul>
  );
}

/** Back to the form with the object of the text; with an incomplete text the form keeps its values. */
function toForm(written: WrittenValue): WrittenValue {
  const { isText, value, text } = written;
  if (!isText) return written;
  const read = text.trim() === '' ? {} : objectIn(text);
  return { ...written, isText: false, value: read ?? value };
}
