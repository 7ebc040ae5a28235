import { expect, test } from 'vitest';
import { eventOf } from './event-fixture.ts';
import { createRestarts, restartSentence } from './restarts.ts';

type FakeEvent = readonly [type: string, payload: object, ns?: string];
const task = (event: string, id: string, name: string): FakeEvent => ['tasks', { event, id, name }];
const lifecycle = (attempt: number, last_failure: string | null): FakeEvent => [
  'lifecycle',
  { attempt, last_failure },
];

function sentences(events: readonly FakeEvent[]): string[] {
  const restarts = createRestarts();
  for (const [seq, [type, payload, ns = '']] of events.entries())
    restarts.take(eventOf({ seq, type, payload, ns }));
  return restarts.list().map((restart) => restartSentence(restart, 4));
}

const started = [
  lifecycle(1, null),
  task('start', 'a', 'plan'),
  task('end', 'a', 'plan'),
  task('start', 'b', 'search'),
  task('end', 'b', 'search'),
];

test('a restart has its attempt, its reason and the step that is repeated', () => {
  expect(
    sentences([
      ...started,
      task('start', 'c', 'search'),
      lifecycle(2, 'CRASH'),
      task('start', 'c', 'search'),
      task('end', 'c', 'search'),
      task('start', 'd', 'write'),
    ]),
  ).toEqual(['Attempt 2 of 4 · CRASH, the guest process ended · resumed at step 3, search']);
});

test('two events of the same attempt are one restart', () => {
  const events = [...started, ['restart', { attempt: 2 }] as const, lifecycle(2, 'CRASH')];
  expect(sentences([...events, task('start', 'c', 'search')])).toEqual([
    'Attempt 2 of 4 · CRASH, the guest process ended · resumed at step 3, search',
  ]);
});

test('a step is all nodes that run at once; what runs within a node is not one', () => {
  expect(
    sentences([
      ...started,
      task('start', 'c', 'left'),
      task('start', 'd', 'right'),
      ['tasks', { event: 'start', id: 'x', name: 'inner' }, 'left:c'],
      lifecycle(2, 'INFRA'),
      task('start', 'c', 'left'),
      task('start', 'd', 'right'),
    ]),
  ).toEqual([
    'Attempt 2 of 4 · INFRA, the worker or its channel was lost · resumed at step 3, left, right',
  ]);
});

test('a step without a checkpoint is counted again', () => {
  const again = [lifecycle(2, 'CRASH'), task('start', 'b', 'search')];
  expect(sentences([...started, task('start', 'c', 'write'), ...again])[0]).toContain(
    'resumed at step 2, search',
  );
});

test('without tasks the step is unknown; a continue-as-new does not resume', () => {
  expect(sentences([['restart', { attempt: 2 }], lifecycle(3, 'CAN')])).toEqual([
    'Attempt 2 of 4 · resumed from the last checkpoint',
    'Attempt 3 of 4 · CAN, the thread moved to a new execution · the run continued',
  ]);
});
