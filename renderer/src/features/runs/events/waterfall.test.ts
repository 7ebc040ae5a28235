import { describe, expect, test } from 'vitest';
import { eventOf } from './event-fixture.ts';
import { createWaterfall, type Lane } from './waterfall.ts';

const second = (n: number): string => new Date(Date.UTC(2026, 10, 21, 12, 0, n)).toISOString();
const at = (n: number): number => Date.parse(second(n));

function task(event: 'start' | 'end', id: string, name: string, n: number, more: object = {}) {
  return { event, id, name, ts: second(n), ...more };
}

function lanesOf(events: [type: string, payload: object, ns?: string][]): readonly Lane[] {
  const waterfall = createWaterfall();
  events.forEach(([type, payload, ns = ''], seq) =>
    waterfall.take(eventOf({ seq, type, ns, payload })),
  );
  return waterfall.lanes();
}

const brief = (lanes: readonly Lane[]) =>
  lanes.map(({ label, kind, depth, bars }) => [
    label,
    kind,
    depth,
    ...bars.map(
      ({ state, start, end }) =>
        `${state} ${(start - at(0)) / 1000}–${end === undefined ? '' : (end - at(0)) / 1000}`,
    ),
  ]);

describe('waterfall', () => {
  test('a lane per node, a bar per time that it ran', () => {
    expect(
      brief(
        lanesOf([
          ['tasks', task('start', '1', 'plan', 0)],
          ['tasks', task('end', '1', 'plan', 1)],
          ['tasks', task('start', '2', 'search', 1)],
          ['tasks', task('end', '2', 'search', 2)],
          ['tasks', task('start', '3', 'search', 2)],
        ]),
      ),
    ).toEqual([
      ['plan', 'node', 0, 'done 0–1'],
      ['search', 'node', 0, 'done 1–2', 'running 2–'],
    ]);
  });

  test('a tool that streams its output runs until its end', () => {
    const call = { kind: 'tool', id: 'c', name: 'search', node: '', ns: '' };
    const begun = ['calls', { ...call, event: 'start', ts: second(0) }] as const;
    const delta = ['calls', { ...call, event: 'delta', delta: 'x', ts: second(1) }] as const;
    const ended = ['calls', { ...call, event: 'end', error: 'E: No.', ts: second(3) }] as const;
    const bars = (lanes: readonly Lane[]) => brief(lanes).map((lane) => lane.slice(3));
    expect(bars(lanesOf([[...begun], [...delta]]))).toEqual([['running 0–']]);
    expect(bars(lanesOf([[...begun], [...delta], [...ended]]))).toEqual([['error 0–3']]);
  });

  test('sub-graphs and calls are below their node, whenever they arrive', () => {
    expect(
      brief(
        lanesOf([
          ['tasks', task('start', '1', 'section', 0)],
          ['tasks', task('start', '9', 'other', 0)],
          ['tasks', task('start', '2', 'draft', 1), 'section:1'],
          [
            'calls',
            {
              kind: 'model',
              event: 'start',
              id: 'c',
              name: 'Model',
              model: 'small',
              node: 'draft',
              ns: 'section:1|draft:2',
              ts: second(1),
            },
          ],
          [
            'calls',
            {
              kind: 'model',
              event: 'end',
              id: 'c',
              name: 'Model',
              model: 'small',
              node: 'draft',
              ns: 'section:1|draft:2',
              ts: second(2),
              usage: { input_tokens: 3, output_tokens: 4 },
            },
          ],
        ]),
      ),
    ).toEqual([
      ['section', 'node', 0, 'running 0–'],
      ['draft', 'node', 1, 'running 1–'],
      ['small', 'model', 2, 'done 1–2'],
      ['other', 'node', 0, 'running 0–'],
    ]);
  });

  test('an error and a question colour their bar', () => {
    expect(
      brief(
        lanesOf([
          ['tasks', task('start', '1', 'ask', 0)],
          ['tasks', task('end', '1', 'ask', 1, { interrupts: [{ id: 'i', value: 1 }] })],
          ['tasks', task('start', '2', 'fall', 1)],
          ['tasks', task('end', '2', 'fall', 2, { error: 'KeyError: x' })],
        ]),
      ),
    ).toEqual([
      ['ask', 'node', 0, 'interrupted 0–1'],
      ['fall', 'node', 0, 'error 1–2'],
    ]);
  });

  test('a restart cuts running bars; a continue-as-new does not', () => {
    const lifecycle = (attempt: number, last_failure: string | null, n: number) =>
      ['lifecycle', { attempt, last_failure, ts: second(n) }] as [string, object];
    const started: [string, object] = ['tasks', task('start', '1', 'search', 1)];
    expect(brief(lanesOf([lifecycle(1, null, 0), started, lifecycle(2, 'CRASH', 3)]))).toEqual([
      ['search', 'node', 0, 'cut 1–3'],
    ]);
    expect(brief(lanesOf([lifecycle(1, null, 0), started, lifecycle(2, 'CAN', 3)]))).toEqual([
      ['search', 'node', 0, 'running 1–'],
    ]);
  });

  test('the failure of a run is that of its running node', () => {
    const waterfall = createWaterfall();
    waterfall.take(eventOf({ seq: 0, type: 'tasks', payload: task('start', '1', 'fall', 0) }));
    waterfall.take(eventOf({ seq: 1, type: 'error', payload: { error: 'x' }, at: at(1) }));
    expect(brief(waterfall.lanes())).toEqual([['fall', 'node', 0, 'error 0–1']]);
  });

  test('without tasks, bars are estimated from updates, and replaced when tasks arrive', () => {
    const waterfall = createWaterfall();
    waterfall.take(eventOf({ seq: 0, type: 'values', payload: {}, at: at(0) }));
    waterfall.take(eventOf({ seq: 1, type: 'updates', payload: { plan: { a: 1 } }, at: at(2) }));
    expect(brief(waterfall.lanes())).toEqual([['plan', 'node', 0, 'done 0–2']]);
    waterfall.take(eventOf({ seq: 2, type: 'tasks', payload: task('start', '1', 'plan', 3) }));
    expect(brief(waterfall.lanes())).toEqual([['plan', 'node', 0, 'running 3–']]);
  });
});
