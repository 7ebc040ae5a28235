import { ActionIcon, Button, Select, Textarea } from '@mantine/core';
import { IconPlus, IconTrash } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { JsonEditor } from '../json/json-editor.tsx';

interface Message {
  readonly role: string;
  readonly content: string;
}

interface MessageFieldsProps {
  readonly label: string;
  readonly value: unknown;
  readonly onChange: (value: unknown) => void;
}

const roles = ['user', 'assistant', 'system', 'tool'];

/** Editable messages: role and text. Other messages are shown as JSON. */
export function MessageFields({ label, value, onChange }: MessageFieldsProps): ReactNode {
  const messages = value === undefined ? [] : asMessages(value);
  if (messages === undefined) {
    return (
      <JsonEditor
        label={label}
        text={JSON.stringify(value, null, 2)}
        maxHeight={240}
        onChange={(text) => {
          try {
            onChange(JSON.parse(text));
          } catch {
            // The editor shows what is wrong with it.
          }
        }}
      />
    );
  }
  const shown = messages.length === 0 ? [{ role: 'user', content: '' }] : messages;
  const give = (next: readonly Message[]): void =>
    onChange(next.every(({ content }) => content === '') ? undefined : next);
  return (
    <fieldset>
      <legend>{label}</legend>
      {shown.map((message, index) => {
        const change = (part: Partial<Message>): void =>
          give(shown.map((one, at) => (at === index ? { ...one, ...part } : one)));
        return (
          // Rows of a form have no other identity than their position.
          <div key={index} className="schema-message">
            <Select
              aria-label={`Role of message ${index + 1}`}
              data={roles}
              value={message.role}
              allowDeselect={false}
              onChange={(role) => role !== null && change({ role })}
            />
            <Textarea
              aria-label={`Text of message ${index + 1}`}
              autosize
              minRows={index === shown.length - 1 ? 2 : 1}
              maxRows={12}
              value={message.content}
              data-autofocus={index === shown.length - 1 || undefined}
              onChange={(event) => change({ content: event.currentTarget.value })}
            />
            <ActionIcon
              aria-label={`Remove message ${index + 1}`}
              disabled={messages.length === 0}
              onClick={() => give(shown.filter((_, at) => at !== index))}
            >
              <IconTrash size={14} aria-hidden />
            </ActionIcon>
          </div>
        );
      })}
      <Button
        size="compact-xs"
        variant="subtle"
        leftSection={<IconPlus size={12} aria-hidden />}
        onClick={() => onChange([...shown, { role: 'user', content: '' }])}
      >
        Message
      </Button>
    </fieldset>
  );
}

function asMessages(value: unknown): readonly Message[] | undefined {
  if (!Array.isArray(value)) return undefined;
  const isPlain = (one: unknown): one is Message =>
    typeof one === 'object' &&
    one !== null &&
    'role' in one &&
    'content' in one &&
    typeof one.role === 'string' &&
    roles.includes(one.role) &&
    typeof one.content === 'string' &&
    Object.keys(one).length === 2;
  return value.every(isPlain) ? value : undefined;
}
