// Reads what `vitest-reporter.ts` wrote, also of a run that did not come to its end.
import { type Failure, fullName, type Report, type Skip, type SlowFile } from './report.ts';
import type { VitestLine } from './vitest-reporter.ts';

/** Reads the lines; the last one may be cut off. */
export function parseVitest(report: string): Report {
  const failures: Failure[] = [];
  const files: SlowFile[] = [];
  const skips: Skip[] = [];
  // Counted, because the end of a short test may be reported before its beginning.
  const open = new Map<string, { count: number; name: string }>();
  const opened = (file: string, name: string, change: 1 | -1): void => {
    const { count } = open.get(`${file} ${name}`) ?? { count: 0 };
    const full = fullName(file, ...groups(name));
    open.set(`${file} ${name}`, { count: count + change, name: full });
  };
  let passed = 0;
  for (const line of report.split('\n').flatMap(parseLine)) {
    switch (line.type) {
      case 'begun':
        opened(line.file, line.name, 1);
        break;
      case 'test':
        opened(line.file, line.name, -1);
        if (line.state === 'passed') passed += 1;
        else if (line.state === 'skipped') skips.push(skipOf(line));
        else failures.push({ file: line.file, name: nameOf(line), message: line.message ?? '' });
        break;
      case 'file':
        files.push({ file: line.file, seconds: line.seconds });
        failures.push(...line.errors.map((message) => ({ file: line.file, message })));
        break;
      case 'uncaught':
        failures.push({ message: `not caught: ${line.message}` });
    }
  }
  return {
    passed,
    skipped: skips.length,
    failures,
    files,
    skips,
    unfinished: [...open.values()].flatMap(({ count, name }) => (count > 0 ? [name] : [])),
  };
}

function skipOf({ file, name, message }: { file: string; name: string; message?: string }): Skip {
  return { name: fullName(file, ...groups(name)), reason: message ?? 'no reason given' };
}

function nameOf({ name }: { name: string }): string {
  return fullName(...groups(name));
}

/** Vitest joins the names of groups and test so. */
function groups(name: string): string[] {
  return name.split(' > ');
}

function parseLine(line: string): VitestLine[] {
  try {
    return [JSON.parse(line) as VitestLine]; // written by our reporter
  } catch {
    return [];
  }
}
