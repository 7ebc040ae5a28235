import { expect, test } from 'vitest';
import type { LogLine } from '../../../../electron/src/ipc/contract.ts';
import { fieldsText, filterLines, type LogFilter } from './log-filter.ts';
import { merge } from './use-log-lines.ts';

const line = (
  id: number,
  level: LogLine['level'],
  message: string,
  source = 'server',
): LogLine => ({
  id,
  ts: id,
  level,
  source,
  message,
  fields: { run_id: `run-${id}` },
});
const all: LogFilter = {
  level: 'all',
  source: 'all',
  text: '',
  errorsFirst: false,
  requests: false,
};
const lines = [
  line(1, 'info', 'started'),
  line(2, 'error', 'guest ended', 'guest:python'),
  line(3, 'debug', 'asked'),
  line(4, 'warn', 'slow'),
  line(5, 'error', 'failed'),
];
const ids = (filter: Partial<LogFilter>): number[] =>
  filterLines(lines, { ...all, ...filter }).map(({ id }) => id);

test('filters by level, source, and text in message or fields', () => {
  expect(ids({})).toEqual([1, 2, 3, 4, 5]);
  expect(ids({ level: 'warn' })).toEqual([2, 4, 5]);
  expect(ids({ source: 'guest:python' })).toEqual([2]);
  expect(ids({ text: 'STARTED' })).toEqual([1]);
  expect(ids({ text: 'run-4' })).toEqual([4]);
});

test('hides successful requests until they are chosen', () => {
  const request = (id: number, status: number): LogLine => ({
    ...line(id, 'info', 'request'),
    fields: { request_id: 'r', method: 'GET', status },
  });
  const both = [request(1, 200), request(2, 404)];
  expect(filterLines(both, all)).toEqual([both[1]]);
  expect(filterLines(both, { ...all, requests: true })).toEqual(both);
  expect(fieldsText(request(1, 200))).toBe('method=GET status=200 request_id=r');
});

test('puts errors first, then warnings, each the newest first', () => {
  expect(ids({ errorsFirst: true })).toEqual([5, 2, 4, 3, 1]);
});

test('merges late and early lines, each once', () => {
  const [one, two, three] = lines;
  if (one === undefined || two === undefined || three === undefined) throw new Error('no lines');
  expect(merge([three], [one, two, three])).toEqual([one, two, three]);
  expect(merge([one], [two, three])).toEqual([one, two, three]);
});
