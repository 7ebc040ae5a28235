// The report of vitest and pytest. Vitest's JSON knows neither differences nor failed hooks; its JUnit report does.
import { type Failure, fullName, type Report } from './report.ts';

const entities: Readonly<Record<string, string>> = {
  lt: '<',
  gt: '>',
  amp: '&',
  quot: '"',
  apos: "'",
};

/** Reads a JUnit report. Failed hooks and files that cannot be loaded are test cases of their own there. */
export function parseJunit(report: string): Report {
  const failures: Failure[] = [];
  let passed = 0;
  let skipped = 0;
  for (const { attributes, body } of elements(report, 'testcase')) {
    const problems = elements(body, 'failure|error');
    if (problems.length > 0) failures.push(failureOf(attributes, problems));
    else if (/<skipped\b/.test(body)) skipped += 1;
    else passed += 1;
  }
  return { passed, skipped, failures };
}

interface Element {
  readonly attributes: string;
  readonly body: string;
}

/** The elements of one kind, which may not contain their like. Both runners escape `<` and `>` in values. */
function elements(xml: string, tags: string): Element[] {
  const pattern = new RegExp(`<(${tags})\\b([^>]*?)(?:/>|>([^]*?)</\\1>)`, 'g');
  return [...xml.matchAll(pattern)].map(([, , attributes = '', body = '']) => ({
    attributes,
    body,
  }));
}

function failureOf(attributes: string, problems: readonly Element[]): Failure {
  const file = valueOf(attributes, 'classname');
  // Vitest's groups; pytest's classes are in the class name.
  const name = fullName(...valueOf(attributes, 'name').split(' > '));
  const message = problems.map(reasonOf).join('\n');
  // A file that cannot be loaded: vitest names it twice, pytest once.
  return file === '' || file === name ? { file: name, message } : { file, name, message };
}

/**
 * Vitest's text begins with its message. Pytest's begins with the source, so its message goes first,
 * and the lines marked with `E`, which repeat it, give way to the place in the source.
 */
function reasonOf({ attributes, body }: Element): string {
  const message = valueOf(attributes, 'message');
  const text = decode(body).trim();
  const [first = ''] = message.split('\n');
  const lines = text.split('\n');
  if (lines[0]?.endsWith(first)) return text;
  const repeats = (line: string): boolean =>
    line.startsWith('E ') && message.includes(line.slice(1).trim());
  return [message, ...lines.filter((line) => !repeats(line))].join('\n');
}

function valueOf(attributes: string, name: string): string {
  return decode(new RegExp(`\\b${name}="([^"]*)"`).exec(attributes)?.[1] ?? '');
}

/** Pytest writes what XML does not allow, such as the escape character, as `#x1B`. */
function decode(text: string): string {
  return text
    .replaceAll('#x1B', '\u001b')
    .replaceAll(/&(?:#(\d+)|(\w+));/g, (whole, code?: string, entity = '') =>
      code === undefined ? (entities[entity] ?? whole) : String.fromCodePoint(Number(code)),
    );
}
