import { expect, test } from 'vitest';
import { createLiveNodes } from './live-nodes.ts';

function liveAfter(events: readonly (readonly [type: string, payload: object, ns?: string])[]) {
  const live = createLiveNodes();
  for (const [seq, [type, payload, ns = '']] of events.entries()) {
    const data = JSON.stringify(payload);
    const size = data.length;
    live.take({ seq, id: seq, type, ns, data, size, isDropped: false, receivedAt: 0, at: 0 });
  }
  return [...live.nodes()];
}

const task = (event: string, id: string, name: string, ns?: string) =>
  ['tasks', { event, id, name }, ns] as const;

test('nodes are live from their start to their end, within sub-graphs under their own id', () => {
  const started = [
    task('start', '1', 'plan'),
    task('end', '1', 'plan'),
    task('start', '2', 'section'),
    task('start', '3', 'draft', 'section:2'),
  ];
  expect(liveAfter(started)).toEqual(['section', 'section:draft']);
  expect(liveAfter([...started, task('end', '3', 'draft', 'section:2')])).toEqual(['section']);
});

test('nothing is live after the end or a crash; a continue-as-new ends nothing', () => {
  const started = [task('start', '1', 'plan')];
  expect(liveAfter([...started, ['done', {}]])).toEqual([]);
  expect(liveAfter([...started, ['lifecycle', { attempt: 2, last_failure: 'CRASH' }]])).toEqual([]);
  expect(liveAfter([...started, ['lifecycle', { attempt: 2, last_failure: 'CAN' }]])).toEqual([
    'plan',
  ]);
});
