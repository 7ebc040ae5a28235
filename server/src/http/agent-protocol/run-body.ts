import { z } from 'zod';
import { isObject, type JsonText, jsonText } from '../../model/json.ts';
import { optional } from '../compat/compat-route.ts';
import { runBody, type RunBody } from '../compat/run-body.ts';
import { parseInput } from '../request/parse-input.ts';
import { objectOf, scanObject } from '../response/raw-members.ts';
import { messageList } from './protocol-message.ts';

/** What is taken over as LangGraph Server has it; `command` and `context` are not in the document. */
const shared = runBody.pick({
  ...{ input: true, command: true, config: true, context: true, metadata: true },
  ...{ stream_mode: true, on_disconnect: true, if_not_exists: true, webhook: true },
});
const taken = Object.keys(shared.shape) as (keyof typeof shared.shape)[];

/** The body of a run's creation. */
export const protocolRunBody = z
  .object({
    ...shared.shape,
    agent_id: optional(z.string()),
    thread_id: optional(z.string()),
    messages: optional(messageList),
    on_completion: optional(z.enum(['delete', 'keep'])),
  })
  .refine(({ thread_id: id, on_completion: end }) => id === undefined || end !== 'delete', {
    path: ['on_completion'],
    error: 'A thread that exists stays: only that of a stateless run goes with it',
  })
  .refine(({ input, messages }) => messages === undefined || isObject(input ?? {}), {
    path: ['messages'],
    error: 'messages are a member of the input, which is no object',
  })
  .refine(
    ({ thread_id: id, if_not_exists: missing }) =>
      id === undefined || missing !== 'create' || z.guid().safeParse(id).success,
    { path: ['thread_id'], error: 'must be a UUID' },
  );

export type ProtocolRunBody = z.infer<typeof protocolRunBody>;

/** The same run as LangGraph Server's clients ask for it. Messages are a member of the input. */
export function compatRunOf(
  body: ProtocolRunBody,
  members: ReadonlyMap<string, JsonText>,
): { body: RunBody; members: ReadonlyMap<string, JsonText> } {
  const { agent_id: agent, messages } = body;
  const given = Object.fromEntries(taken.map((name) => [name, body[name]]));
  const named = { ...given, assistant_id: agent };
  if (messages === undefined) return { body: parseInput(runBody, named), members };
  const input = { ...(isObject(body.input) ? body.input : {}), messages };
  const sent = members.get('input') ?? jsonText('null');
  const parts = sent === 'null' ? new Map<string, JsonText>() : scanObject(sent).members;
  parts.set('messages', members.get('messages') ?? jsonText(JSON.stringify(messages)));
  return {
    body: parseInput(runBody, { ...named, input }),
    members: new Map([...members, ['input', objectOf(parts)]]),
  };
}
