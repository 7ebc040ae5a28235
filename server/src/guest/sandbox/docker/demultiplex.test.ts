import { PassThrough, Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { expect, it } from 'vitest';

import { demultiplex } from './demultiplex.ts';

function frame(stream: number, content: string): Buffer {
  const body = Buffer.from(content);
  const header = Buffer.alloc(8);
  header[0] = stream;
  header.writeUInt32BE(body.length, 4);
  return Buffer.concat([header, body]);
}

const all = Buffer.concat([frame(1, 'out'), frame(2, 'wrong'), frame(1, ''), frame(1, 'more')]);

it.each([1, 3, 7, 8, 9, 1_000])('splits what comes in pieces of %d bytes', async (size) => {
  const pieces = Array.from({ length: Math.ceil(all.length / size) }, (_, index) =>
    all.subarray(index * size, (index + 1) * size),
  );
  const outputs = { stdout: new PassThrough(), stderr: new PassThrough() };
  const [out, err] = [text(outputs.stdout), text(outputs.stderr)];
  await demultiplex(Readable.from(pieces), outputs);
  expect({ out: await out, err: await err }).toEqual({ out: 'outmore', err: 'wrong' });
});

it('reads no faster than it is read', async () => {
  let taken = 0;
  const many = Readable.from(
    (function* () {
      for (; taken < 200; taken += 1) yield frame(1, 'x'.repeat(64 * 1024));
    })(),
    { highWaterMark: 1 },
  );
  const outputs = { stdout: new PassThrough(), stderr: new PassThrough() };
  const done = demultiplex(many, outputs);
  await new Promise((resolve) => setImmediate(resolve));
  expect(taken).toBeLessThan(5);
  outputs.stdout.resume();
  outputs.stderr.resume();
  await done;
  expect(taken).toBe(200);
});
