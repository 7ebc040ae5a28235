import { describe, expect, it } from 'vitest';
import { describeStreamPort } from '../../test/conformance/stream-port.ts';
import { jsonText } from '../model/json.ts';
import { compositeRunId, type RunId, type ThreadId } from '../model/ids.ts';
import { newRunUuid } from '../threads/new-ids.ts';
import { createMemoryStream, type MemoryStream } from './memory-stream.ts';

const newRunId = (): RunId => compositeRunId('t' as ThreadId, newRunUuid());

describeStreamPort('the memory stream', async () => {
  const port = createMemoryStream();
  return { port, close: async () => port.shutdown() };
});

const roomy = {
  maxEventsPerRun: 1_000,
  maxSizePerRun: 1e6,
  maxSizeTotal: 1e6,
  keepEndedMs: 600_000,
};
const blob = jsonText(`"${'x'.repeat(934)}"`); // 1,000 with what an event costs beside its data

function fill(port: MemoryStream, run: RunId, from: number, to: number): void {
  port.open(run);
  for (let id = from; id <= to; id += 1) {
    port.append(run, { id, mode: 'values', ns: '', data: blob });
  }
}

async function ids(port: MemoryStream, run: RunId): Promise<(number | string)[]> {
  const seen: (number | string)[] = [];
  const stop = new AbortController();
  setTimeout(() => stop.abort(), 20);
  for await (const item of port.read(run, 0, stop.signal)) {
    seen.push(item.kind === 'gap' ? `gap ${item.lostThrough}` : item.event.id);
  }
  return seen;
}

describe('bounds', () => {
  it('keeps the newest events of a run, by number', async () => {
    const port = createMemoryStream({ ...roomy, maxEventsPerRun: 3 });
    const run = newRunId();
    fill(port, run, 1, 10);
    expect(await ids(port, run)).toEqual(['gap 7', 8, 9, 10]);
    port.shutdown();
  });

  it('keeps the newest events of a run, by size, and at least one', async () => {
    const port = createMemoryStream({ ...roomy, maxSizePerRun: 2_500 });
    const run = newRunId();
    fill(port, run, 1, 10);
    expect(await ids(port, run)).toEqual(['gap 8', 9, 10]);
    expect(port.size()).toBe(2_000);
    port.shutdown();
  });

  it('drops ended runs first when all together are too large, then the oldest events', async () => {
    const port = createMemoryStream({ ...roomy, maxSizeTotal: 5_500 });
    const [ended, old, young] = [newRunId(), newRunId(), newRunId()];
    fill(port, old, 1, 2);
    fill(port, ended, 1, 3);
    port.close(ended);
    fill(port, young, 1, 3);
    expect(await ids(port, ended)).toEqual(['gap 0']);
    expect(await ids(port, old)).toEqual([1, 2]);
    fill(port, young, 4, 5);
    expect(await ids(port, old)).toEqual(['gap 1', 2]);
    expect(await ids(port, young)).toEqual(['gap 1', 2, 3, 4, 5]);
    expect(port.size()).toBeLessThanOrEqual(5_500);
    port.shutdown();
  });

  it('forgets an ended run after its time', async () => {
    let time = 0;
    const port = createMemoryStream(roomy, () => time);
    const [first, second] = [newRunId(), newRunId()];
    fill(port, first, 1, 1);
    port.close(first);
    time = 599_000;
    expect(await ids(port, first)).toEqual([1]);
    time = 601_000;
    fill(port, second, 1, 1);
    port.close(second);
    expect(await ids(port, first)).toEqual(['gap 0']);
    expect(await ids(port, second)).toEqual([1]);
    port.shutdown();
  });

  it('shows a slow reader a gap where it was overtaken', async () => {
    const port = createMemoryStream({ ...roomy, maxEventsPerRun: 2 });
    const run = newRunId();
    fill(port, run, 1, 1);
    const seen: unknown[] = [];
    for await (const item of port.read(run, 0, new AbortController().signal)) {
      seen.push(item.kind === 'gap' ? 'gap' : item.event.id);
      if (seen.length === 1) {
        fill(port, run, 2, 9);
        port.close(run);
      }
    }
    expect(seen).toEqual([1, 'gap', 8, 9]);
    port.shutdown();
  });
});
