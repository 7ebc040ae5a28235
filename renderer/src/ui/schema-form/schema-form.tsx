import { NumberInput, Select, TagsInput, Textarea } from '@mantine/core';
import { type ReactNode, useMemo, useState } from 'react';
import { JsonEditor } from '../json/json-editor.tsx';
import { MessageFields } from './message-fields.tsx';
import { type JsonSchema, type SchemaField, schemaFields } from './schema-fields.ts';
import './schema-form.css';
import { isRecord } from '../../api/json-record.ts';

interface SchemaFormProps {
  /** Undefined while it is being read. */
  readonly schema: JsonSchema | undefined;
  readonly value: Readonly<Record<string, unknown>>;
  readonly onChange: (value: Record<string, unknown>) => void;
}

/** A small form for an object with a JSON schema. Empty fields are omitted. */
export function SchemaForm({ schema, value, onChange }: SchemaFormProps): ReactNode {
  const fields = useMemo(() => (schema === undefined ? [] : schemaFields(schema)), [schema]);
  if (schema === undefined) return undefined;
  if (fields.length === 0) {
    return (
      <JsonValue
        label="Value"
        value={value}
        onChange={(next) => isRecord(next) && onChange(next)}
      />
    );
  }
  return <Fields fields={fields} value={value} onChange={onChange} />;
}

interface FieldsProps {
  readonly fields: readonly SchemaField[];
  readonly value: Readonly<Record<string, unknown>>;
  readonly onChange: (value: Record<string, unknown>) => void;
}

function Fields({ fields, value, onChange }: FieldsProps): ReactNode {
  // What is required comes first, JSON last: that is often an agent's own notes.
  const sorted = fields.toSorted((a, b) => weight(a) - weight(b));
  return (
    <div className="stack">
      {sorted.map((field) => (
        <Field
          key={field.name}
          field={field}
          value={value[field.name]}
          onChange={(next) => {
            const now = { ...value };
            if (next === undefined) delete now[field.name];
            else now[field.name] = next;
            onChange(now);
          }}
        />
      ))}
    </div>
  );
}

function weight({ kind, isRequired }: SchemaField): number {
  return kind === 'messages' ? 0 : isRequired ? 1 : kind === 'json' ? 3 : 2;
}

interface FieldProps {
  readonly field: SchemaField;
  readonly value: unknown;
  readonly onChange: (value: unknown) => void;
}

function Field({ field, value, onChange }: FieldProps): ReactNode {
  const { label, description, isRequired, kind, choices, initial } = field;
  const placeholder = initial === undefined ? undefined : `default: ${asText(initial)}`;
  const common = {
    label,
    description,
    placeholder,
    withAsterisk: isRequired && initial === undefined,
  };
  switch (kind) {
    case 'text':
      return (
        <Textarea
          {...common}
          autosize
          minRows={1}
          maxRows={10}
          value={typeof value === 'string' ? value : ''}
          onChange={({ currentTarget: { value: text } }) =>
            onChange(text === '' ? undefined : text)
          }
        />
      );
    case 'number':
    case 'integer':
      return (
        <NumberInput
          {...common}
          allowDecimal={kind === 'number'}
          value={typeof value === 'number' ? value : ''}
          onChange={(number) => onChange(typeof number === 'number' ? number : undefined)}
        />
      );
    case 'boolean':
    case 'choice': {
      const values = kind === 'boolean' ? [true, false] : choices;
      const names = values.map(asText);
      const chosen = values.findIndex((one) => one === value);
      return (
        <Select
          {...common}
          data={names}
          value={chosen < 0 ? null : (names[chosen] ?? null)}
          placeholder={placeholder ?? 'not set'}
          clearable
          onChange={(name) => onChange(name === null ? undefined : values[names.indexOf(name)])}
        />
      );
    }
    case 'texts':
      return (
        <TagsInput
          {...common}
          value={Array.isArray(value) ? value.map(String) : []}
          onChange={(texts) => onChange(texts.length === 0 ? undefined : texts)}
        />
      );
    case 'messages':
      return <MessageFields label={label} value={value} onChange={onChange} />;
    case 'object':
      return (
        <fieldset className="schema-object">
          <legend>{label}</legend>
          <Fields
            fields={field.fields}
            value={isRecord(value) ? value : {}}
            onChange={(next) => onChange(Object.keys(next).length === 0 ? undefined : next)}
          />
        </fieldset>
      );
    case 'json':
      return <JsonValue label={label} value={value} onChange={onChange} />;
  }
}

function asText(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** Any JSON; incomplete text stays in the editor and is not reported yet. */
function JsonValue(props: {
  label: string;
  value: unknown;
  onChange: (value: unknown) => void;
}): ReactNode {
  const { label, value, onChange } = props;
  const [text, setText] = useState(() =>
    value === undefined ? '' : JSON.stringify(value, null, 2),
  );
  return (
    <JsonEditor
      label={label}
      text={text}
      maxHeight={200}
      onChange={(next) => {
        setText(next);
        if (next.trim() === '') onChange(undefined);
        else
          try {
            onChange(JSON.parse(next));
          } catch {
            // The editor shows what is wrong with it.
          }
      }}
    />
  );
}
