import { isObject, type Json } from '../../model/json.ts';

/** The input of a question as JSON: one text per member, or a single text for a value that is not an object. */
export type InputText = string | ReadonlyMap<string, string>;

interface BatchQuestion {
  input: InputText;
  policies: readonly string[];
}

/** Undefined when some thousand nesting levels overflow the stack. */
export function inputText(input: Json): InputText | undefined {
  try {
    if (!isObject(input)) return JSON.stringify(input);
    const members = Object.entries(input).filter(([, value]) => value !== undefined);
    return new Map(members.map(([name, value]) => [name, JSON.stringify(value)]));
  } catch {
    return undefined;
  }
}

/** The approximate size of the input as one text. */
export function byteLengthOf(input: InputText): number {
  if (typeof input === 'string') return Buffer.byteLength(input);
  let bytes = 2;
  for (const [name, text] of input) bytes += name.length + Buffer.byteLength(text) + 4;
  return bytes;
}

/**
 * Questions in the format that server/native/policy/internal/evaluator/batch.go reads. Values that several of them
 * share, such as the principal for the rows of a list, are sent and parsed once.
 */
export function batchText(questions: readonly BatchQuestion[]): string {
  const [values, policies] = [new Map<string, number>(), new Map<string, number>()];
  const asked = questions.map(({ input, policies: keys }) => ({
    ...(typeof input === 'string'
      ? { whole: indexIn(values, input) }
      : { members: Object.fromEntries([...input].map(([k, text]) => [k, indexIn(values, text)])) }),
    policies: keys.map((key) => indexIn(policies, key)),
  }));
  const rest = JSON.stringify({ policies: [...policies.keys()], questions: asked });
  return `{"values":[${[...values.keys()].join(',')}],${rest.slice(1)}`;
}

function indexIn(known: Map<string, number>, text: string): number {
  const index = known.get(text) ?? known.size;
  known.set(text, index);
  return index;
}
