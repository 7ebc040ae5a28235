import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { compositeRunId, type RunId, type ThreadId } from '../../src/model/ids.ts';
import { jsonText } from '../../src/model/json.ts';
import type { StreamItem, StreamPort } from '../../src/streams/port.ts';
import { newRunUuid } from '../../src/threads/new-ids.ts';

const LONG = new AbortController().signal;

/** What every StreamPort promises, whatever keeps its events. */
export function describeStreamPort(
  name: string,
  make: () => Promise<{ port: StreamPort; close: () => Promise<void> }>,
): void {
  describe(`${name} as a StreamPort`, () => {
    let port: StreamPort;
    let close: () => Promise<void>;
    let run: RunId;
    beforeEach(async () => {
      ({ port, close } = await make());
      run = compositeRunId('t' as ThreadId, newRunUuid());
      port.open(run);
    });
    afterEach(() => close());

    const append = (...ids: number[]): void => {
      for (const id of ids) {
        port.append(run, { id, mode: 'values', ns: '', data: jsonText(`{"n":${id}}`) });
      }
    };
    async function read(after: number | 'now', signal = LONG): Promise<(number | 'gap')[]> {
      const items: StreamItem[] = [];
      for await (const item of port.read(run, after, signal)) items.push(item);
      return items.map((item) => (item.kind === 'gap' ? 'gap' : item.event.id));
    }

    it('gives everything from the start to a late reader', async () => {
      append(1, 2, 3);
      port.close(run);
      expect(await read(0)).toEqual([1, 2, 3]);
    });

    it('gives whole events', async () => {
      const event = { id: 1, mode: 'updates', ns: 'child:1', data: jsonText('{"a": 1.0}') };
      port.append(run, event);
      port.close(run);
      const items: StreamItem[] = [];
      for await (const item of port.read(run, 0, LONG)) items.push(item);
      expect(items).toEqual([{ kind: 'event', event }]);
    });

    it('gives only what came after', async () => {
      append(1, 2, 3);
      port.close(run);
      expect(await read(2)).toEqual([3]);
      expect(await read(3)).toEqual([]);
      expect(await read(99)).toEqual([]);
    });

    it('gives only what is new from now on', async () => {
      append(1, 2);
      const reading = read('now');
      append(3);
      port.close(run);
      expect(await reading).toEqual([3]);
    });

    it('follows while events come, with many readers at once', async () => {
      const readings = [read(0), read(1), read(0)];
      for (const id of [1, 2, 3]) {
        append(id);
        await new Promise(setImmediate);
      }
      port.close(run);
      expect(await Promise.all(readings)).toEqual([
        [1, 2, 3],
        [2, 3],
        [1, 2, 3],
      ]);
    });

    it('continues over a restart of the run', async () => {
      append(1, 2);
      const reading = read(0);
      port.open(run);
      append(1_000_000_001);
      port.close(run);
      expect(await reading).toEqual([1, 2, 1_000_000_001]);
    });

    it('shows a gap when the run began elsewhere', async () => {
      append(1_000_000_001);
      port.close(run);
      expect(await read(5)).toEqual(['gap', 1_000_000_001]);
      expect(await read(1_000_000_000)).toEqual([1_000_000_001]);
    });

    it('leaves out events whose ids do not grow, and those after the end', async () => {
      append(2, 1, 2, 3);
      port.close(run);
      append(4);
      expect(await read(1)).toEqual([2, 3]);
      expect(port.lastId(run)).toBe(3);
    });

    it('yields one gap for a run without a log', async () => {
      port.remove(run);
      expect(await read(0)).toEqual(['gap']);
      append(1);
      expect(await read(0)).toEqual(['gap']);
      expect(port.lastId(run)).toBe(0);
    });

    it('ends readers when the log is removed, and with their signal', async () => {
      const controller = new AbortController();
      const readings = [read(0), read(0, controller.signal)];
      controller.abort();
      expect(await readings[1]).toEqual([]);
      port.remove(run);
      expect(await readings[0]).toEqual([]);
      expect(await read(0, AbortSignal.abort())).not.toContain(1);
    });
  });
}
