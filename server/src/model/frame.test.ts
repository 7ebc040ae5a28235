import { expect, it } from 'vitest';
import { packFrame, toBytes, unpackFrame } from './frame.ts';

it('gives back values with byte arrays at any depth', () => {
  const value = {
    text: 'ä "quoted"',
    list: [1, null, { bytes: toBytes('first') }],
    empty: new Uint8Array(0),
    last: toBytes('zweite'),
  };
  expect(unpackFrame(packFrame(value))).toEqual(value);
});

it('takes the bytes of a Node Buffer, which would turn itself into JSON', () => {
  const { blob } = unpackFrame<{ blob: Uint8Array }>(packFrame({ blob: Buffer.from('x') }));
  expect(blob).toEqual(toBytes('x'));
});

it('leaves out undefined members', () => {
  expect(unpackFrame(packFrame({ here: 1, gone: undefined }))).toEqual({ here: 1 });
});

it('unpacks byte arrays that do not keep the frame alive', () => {
  const { blob } = unpackFrame<{ blob: Uint8Array }>(packFrame({ blob: new Uint8Array(8) }));
  expect(blob.buffer.byteLength).toBe(8);
});

it('unpacks from the middle of a larger buffer', () => {
  const frame = packFrame({ blob: toBytes('x') });
  const larger = new Uint8Array(frame.byteLength + 20);
  larger.set(frame, 10);
  expect(unpackFrame(larger.subarray(10, 10 + frame.byteLength))).toEqual({ blob: toBytes('x') });
});

it('takes a client’s key for what it is, also one that looks like ours', () => {
  const value = {
    metadata: { $bytes: 3, nested: [{ $bytes: 'no number', $$bytes: { $$$bytes: 1 }, bytes: 2 }] },
    request: toBytes('untouched'),
  };
  expect(unpackFrame(packFrame(value))).toEqual(value);
});
