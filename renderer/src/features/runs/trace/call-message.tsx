import { ActionIcon, Select, Textarea } from '@mantine/core';
import { IconBraces, IconLetterT, IconTrash } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { textOf } from '../../../api/json-record.ts';
import { JsonEditor } from '../../../ui/json/json-editor.tsx';
import { type DraftMessage, inOtherForm, roleOf, roles, withRole, withText } from './call-draft.ts';

interface CallMessageProps {
  readonly message: DraftMessage;
  /** Counted from 1. */
  readonly position: number;
  readonly problem: string | undefined;
  readonly onChange: (message: DraftMessage) => void;
  readonly onRemove: () => void;
}

/** One message of a prompt: its role and text, or the whole of it as JSON. */
export function CallMessage(props: CallMessageProps): ReactNode {
  const { message, position, problem, onChange, onRemove } = props;
  const role = roleOf(message);
  const other = message.isJson ? 'text' : 'JSON';
  return (
    <li>
      <div className="call-message-bar row">
        {message.isJson ? (
          <span className="dim grow">Message {position}</span>
        ) : (
          <Select
            size="xs"
            w={112}
            mr="auto"
            aria-label={`Role of message ${position}`}
            data={roles.includes(role) ? roles : [role, ...roles]}
            value={role}
            allowDeselect={false}
            onChange={(next) => next !== null && next !== role && onChange(withRole(message, next))}
          />
        )}
        <ActionIcon
          aria-label={`Edit message ${position} as ${other}`}
          title={`Edit as ${other}`}
          onClick={() => onChange(inOtherForm(message))}
        >
          {message.isJson ? (
            <IconLetterT size={14} aria-hidden />
          ) : (
            <IconBraces size={14} aria-hidden />
          )}
        </ActionIcon>
        <ActionIcon aria-label={`Remove message ${position}`} title="Remove" onClick={onRemove}>
          <IconTrash size={14} aria-hidden />
        </ActionIcon>
      </div>
      {message.isJson ? (
        <JsonEditor
          label={`Message ${position} as JSON`}
          text={message.json}
          error={problem}
          maxHeight={300}
          onChange={(json) => onChange({ ...message, json })}
        />
      ) : (
        <Textarea
          aria-label={`Text of message ${position}`}
          autosize
          minRows={2}
          maxRows={16}
          value={textOf(message.value, 'content') ?? ''}
          onChange={(event) => onChange(withText(message, event.currentTarget.value))}
        />
      )}
    </li>
  );
}
