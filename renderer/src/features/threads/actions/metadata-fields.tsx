import { ActionIcon, Button, TextInput } from '@mantine/core';
import { IconPlus, IconX } from '@tabler/icons-react';
import type { ReactNode } from 'react';

/** One line of metadata being edited. */
export interface MetadataLine {
  readonly key: string;
  readonly value: string;
  /** Existing keys cannot be renamed. */
  readonly isExisting?: boolean;
}

interface MetadataFieldsProps {
  readonly lines: readonly MetadataLine[];
  readonly onChange: (lines: readonly MetadataLine[]) => void;
}

/** Metadata as lines of key and value. */
export function MetadataFields({ lines, onChange }: MetadataFieldsProps): ReactNode {
  const change = (index: number, part: Partial<MetadataLine>): void =>
    onChange(lines.map((line, at) => (at === index ? { ...line, ...part } : line)));
  return (
    <fieldset className="metadata-fields stack">
      <legend>Metadata</legend>
      {lines.map((line, index) => (
        // Lines have no id while they are edited.
        <div key={index}>
          <TextInput
            aria-label={`Key ${index + 1}`}
            placeholder="key"
            value={line.key}
            error={lineProblem(lines, index)}
            readOnly={line.isExisting === true}
            onChange={(event) => change(index, { key: event.currentTarget.value })}
          />
          <TextInput
            aria-label={line.key === '' ? `Value ${index + 1}` : `Value of ${line.key}`}
            placeholder="value"
            value={line.value}
            data-autofocus={(line.isExisting === true && index === 0) || undefined}
            onChange={(event) => change(index, { value: event.currentTarget.value })}
          />
          {line.isExisting === true ? (
            <span />
          ) : (
            <ActionIcon
              aria-label={`Remove line ${index + 1}`}
              onClick={() => onChange(lines.filter((_, at) => at !== index))}
            >
              <IconX size={14} aria-hidden />
            </ActionIcon>
          )}
        </div>
      ))}
      <Button
        variant="subtle"
        size="compact-xs"
        leftSection={<IconPlus size={14} aria-hidden />}
        onClick={() => onChange([...lines, { key: '', value: '' }])}
      >
        Add a line
      </Button>
    </fieldset>
  );
}

/** Whether a line would be lost if the lines were sent as they are. */
export function hasProblem(lines: readonly MetadataLine[]): boolean {
  return lines.some((_, index) => lineProblem(lines, index) !== undefined);
}

function lineProblem(lines: readonly MetadataLine[], index: number): string | undefined {
  const key = lines[index]?.key.trim() ?? '';
  if (key === '') return lines[index]?.value === '' ? undefined : 'The value has no key.';
  const first = lines.findIndex((line) => line.key.trim() === key);
  return first < index ? 'The key exists already.' : undefined;
}

/** The lines that have a key, in the service's form. */
export function metadataOf(lines: readonly MetadataLine[]): Record<string, string> {
  return Object.fromEntries(
    lines.filter(({ key }) => key.trim() !== '').map(({ key, value }) => [key.trim(), value]),
  );
}
