import { expect, it, onTestFinished } from 'vitest';
import { compositeRunId, type RunId, type RunUuid, type ThreadId } from '../../model/ids.ts';
import type { AttributedLine } from '../pool/guest-runs.ts';
import { guestLimits } from '../limits.ts';
import { OutputLog } from './output-log.ts';

function openLog(
  limits: Partial<typeof guestLimits> = {},
  now: () => number = Date.now,
): OutputLog {
  const log = new OutputLog({ ...guestLimits, ...limits }, now);
  onTestFinished(() => log.close());
  return log;
}

const id = (run: string): RunId => compositeRunId('t' as ThreadId, run as RunUuid); // valid ids
const line = (run: string, text: string): AttributedLine => ({
  at: 5,
  stream: 'stdout',
  text,
  runId: id(run),
});
const wide = (text: string): string => text.padEnd(1_000);
const texts = (log: OutputLog, run: string): string[] =>
  log.read(id(run)).map(({ text }) => text.trim());

it('counts the lines of a run over its attempts', () => {
  const log = openLog();
  log.begin(id('a'), 1);
  log.append(line('a', 'one'));
  log.begin(id('a'), 2);
  log.append({ ...line('a', 'two'), stream: 'stderr' });
  expect(log.read(id('a'))).toEqual([
    { id: 1, attempt: 1, at: 5, stream: 'stdout', text: 'one' },
    { id: 2, attempt: 2, at: 5, stream: 'stderr', text: 'two' },
  ]);
});

it('keeps the latest lines of a run, by bytes and by number', () => {
  const small = openLog({ outputRunBytes: 5_000 });
  for (const text of ['1', '2', '3']) small.append(line('a', wide(text)));
  expect([texts(small, 'a'), small.written(id('a'))]).toEqual([['2', '3'], 3]);
  const short = openLog({ outputRunLines: 2 });
  for (const text of ['1', '2', '3']) short.append(line('a', text));
  expect([texts(short, 'a'), short.read(id('a'))[0]?.id]).toEqual([['2', '3'], 2]);
});

it('drops those of ended runs first when all together are too large, then those of the oldest', () => {
  const log = openLog({ outputTotalBytes: 5_000 });
  log.append(line('old', wide('1')));
  log.append(line('ended', wide('1')));
  log.end(id('ended'));
  log.append(line('new', wide('1')));
  expect([texts(log, 'old'), texts(log, 'ended'), texts(log, 'new')]).toEqual([['1'], [], ['1']]);
  log.append(line('new', wide('2')));
  expect([texts(log, 'old'), log.written(id('old')), texts(log, 'new')]).toEqual([
    [],
    1,
    ['1', '2'],
  ]);
});

it('forgets a run some time after its end, unless it begins again', () => {
  let now = 0;
  const log = openLog({ outputKeptMs: 1_000 }, () => now);
  for (const run of ['a', 'b']) {
    log.append(line(run, '1'));
    log.end(id(run));
  }
  log.begin(id('b'), 2);
  now = 1_001;
  log.end(id('c'));
  expect([texts(log, 'a'), texts(log, 'b')]).toEqual([[], ['1']]);
});

it('takes nothing that belongs to no run', () => {
  const log = openLog();
  log.append({ at: 0, stream: 'stdout', text: 'x' });
  expect(log.read(id(''))).toEqual([]);
});
