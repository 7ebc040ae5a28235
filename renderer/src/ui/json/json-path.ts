import { isRecord } from '../../api/json-record.ts';

/** The path of a value in a JSON document: keys and indexes from the root. */
export type JsonPath = readonly (string | number)[];

const plainKey = /^[A-Za-z_$][\w$-]*$/;

/** The path as text: `messages[3].content`; keys with odd characters are quoted. */
export function pathText(path: JsonPath): string {
  let text = '';
  for (const step of path) {
    if (typeof step === 'number') text += `[${step}]`;
    else if (!plainKey.test(step)) text += `[${JSON.stringify(step)}]`;
    else text += text === '' ? step : `.${step}`;
  }
  return text;
}

/** The value at the path; undefined if it does not exist. */
export function valueAt(root: unknown, path: JsonPath): unknown {
  let value = root;
  for (const step of path) {
    if (Array.isArray(value)) value = typeof step === 'number' ? value[step] : undefined;
    else if (isRecord(value)) value = Object.hasOwn(value, step) ? value[step] : undefined;
    else return undefined;
  }
  return value;
}
