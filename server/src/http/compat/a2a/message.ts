import { z } from 'zod';
import { type JsonText, toJsonText } from '../../../model/json.ts';

const part = z.discriminatedUnion(
  'kind',
  [
    z.object({ kind: z.literal('text'), text: z.string() }),
    z.object({ kind: z.literal('data'), data: z.record(z.string(), z.unknown()) }),
  ],
  { error: 'must be of the kind text or data' },
);

/** The parameters of `message/send` and `message/stream` (A2A 0.3, 7.1.1). */
export const sentMessage = z.object({
  message: z.object({
    role: z.enum(['user', 'agent']),
    parts: z.array(part).min(1),
    messageId: z.string(),
    contextId: z.string().nullish(),
    taskId: z.string().nullish(),
  }),
  configuration: z.looseObject({ blocking: z.boolean().nullish() }).nullish(),
  metadata: z.record(z.string(), z.unknown()).nullish(),
});

/** Names a task, as `tasks/get`, `tasks/cancel` and `tasks/resubscribe` do. */
export const namedTask = z.object({ id: z.string() });

export type SentMessage = z.infer<typeof sentMessage>['message'];

/** A message as an agent's input: its text is a message of the conversation, its data are members beside it. */
export function inputOf({ role, parts }: SentMessage): JsonText {
  const text = textIn(parts);
  const messages = [{ role: role === 'user' ? 'user' : 'assistant', content: text }];
  return toJsonText({ ...dataIn(parts), ...(text !== '' && { messages }) });
}

/** The same as the answer to what an agent asks. */
export function answerOf({ parts }: SentMessage): JsonText {
  const text = textIn(parts);
  return toJsonText(text === '' ? dataIn(parts) : text);
}

type Parts = SentMessage['parts'];

function textIn(parts: Parts): string {
  return parts.flatMap((one) => (one.kind === 'text' ? [one.text] : [])).join('\n');
}

function dataIn(parts: Parts): Record<string, unknown> {
  return Object.assign({}, ...parts.map((one) => (one.kind === 'data' ? one.data : {}))) as Record<
    string,
    unknown
  >; // of objects alone
}
