import { isObject } from '../../model/json.ts';
import { type StateValues, valuesText } from '../../model/checkpoint/state-values.ts';
import { spliced } from '../response/json-writer.ts';
import { objectOf, scanObject } from '../response/raw-members.ts';
import { wholeMessages } from '../response/state-messages.ts';

/** A state as Agent Protocol shows it: its messages stand beside the other values, where it has a list of them. */
export async function presentValues(
  values: StateValues,
): Promise<{ values: Record<string, unknown>; messages?: object[] }> {
  const { members } = scanObject(valuesText(values));
  const found = await wholeMessages(values);
  const whole = { values: spliced(objectOf(members)) };
  if (found === undefined) return whole;
  const messages: object[] = [];
  for await (const { content, id, ...message } of found) {
    const shown = { ...message, content: blocksOf(content) };
    messages.push(typeof id === 'string' ? { ...shown, id } : shown);
  }
  // A list of other things is a value as any other.
  if (messages.length === 0 && members.get('messages') !== '[]') return whole;
  members.delete('messages');
  return { values: spliced(objectOf(members)), messages };
}

/** A text, or blocks that have a type. */
function blocksOf(content: unknown): unknown {
  if (!Array.isArray(content)) return typeof content === 'string' ? content : '';
  return content.map((part: unknown) => {
    if (typeof part === 'string') return { type: 'text', text: part };
    if (!isObject(part)) return { type: 'json', value: part };
    const { metadata, ...block } = part;
    const type = typeof part['type'] === 'string' ? part['type'] : 'json';
    return { ...block, type, ...(isObject(metadata) && { metadata }) };
  });
}
