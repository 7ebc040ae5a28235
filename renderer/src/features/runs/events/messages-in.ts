import { isRecord } from '../../../api/json-record.ts';

/** The messages in an event's payload, at any level; undefined for none. */
export function messagesIn(
  type: string | undefined,
  payload: unknown,
): readonly unknown[] | undefined {
  if (!isRecord(payload)) return undefined;
  switch (type) {
    case 'messages':
      return isRecord(payload['message']) ? [payload['message']] : undefined;
    case 'values':
    case 'done':
      return listIn(payload);
    case 'updates':
    case 'tasks': {
      const parts =
        type === 'tasks' ? [payload['result'], payload['input']] : Object.values(payload);
      return parts.map(listIn).find((list) => list !== undefined);
    }
    default:
      return undefined;
  }
}

function listIn(value: unknown): readonly unknown[] | undefined {
  if (!isRecord(value)) return undefined;
  const { messages } = value;
  if (Array.isArray(messages)) return messages.length > 0 ? messages : undefined;
  return isRecord(messages) ? [messages] : undefined;
}
