// The report of pytest, in JUnit's format.
import { type Failure, filesOf, type Report, type SlowFile } from './report.ts';

const entities: Readonly<Record<string, string>> = {
  lt: '<',
  gt: '>',
  amp: '&',
  quot: '"',
  apos: "'",
};

/** Reads the report. Fixtures that failed and modules that cannot be imported are separate test cases there. */
export function parsePytest(report: string): Report {
  const failures: Failure[] = [];
  let passed = 0;
  let skipped = 0;
  const times: SlowFile[] = [];
  for (const { attributes, body } of elements(report, 'testcase')) {
    const problems = elements(body, 'failure|error');
    const [module = ''] = /^tests\.\w+/.exec(valueOf(attributes, 'classname')) ?? [];
    times.push({ file: module, seconds: Number(valueOf(attributes, 'time')) });
    if (problems.length > 0) failures.push(failureOf(attributes, problems));
    else if (/<skipped\b/.test(body)) skipped += 1;
    else passed += 1;
  }
  return { passed, skipped, failures, files: filesOf(times) };
}

interface Element {
  readonly attributes: string;
  readonly body: string;
}

/** The elements of one kind, which may not contain their like. `<` and `>` are escaped in values. */
function elements(xml: string, tags: string): Element[] {
  const pattern = new RegExp(`<(${tags})\\b([^>]*?)(?:/>|>([^]*?)</\\1>)`, 'g');
  return [...xml.matchAll(pattern)].map(([, , attributes = '', body = '']) => ({
    attributes,
    body,
  }));
}

function failureOf(attributes: string, problems: readonly Element[]): Failure {
  const file = valueOf(attributes, 'classname');
  // Classes are in the class name.
  const name = valueOf(attributes, 'name');
  const message = problems.map(reasonOf).join('\n');
  // A module that cannot be imported has no class name.
  return file === '' ? { file: name, message } : { file, name, message };
}

/**
 * The text begins with the source: the message goes first, and the lines marked with `E`, which repeat it, give way to
 * the location in the source.
 */
function reasonOf({ attributes, body }: Element): string {
  const message = valueOf(attributes, 'message');
  const text = decode(body).trim();
  const lines = text.split('\n');
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
