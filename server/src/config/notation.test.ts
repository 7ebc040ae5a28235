import { describe, expect, it } from 'vitest';
import { decimal, durationWithin, parseByteSize, parseDurationMs, typeNames } from './notation.ts';
import { isLoopback, parseListenAddress } from './listener.ts';

describe('durations', () => {
  it.each([
    ['500ms', 500],
    ['1.5s', 1500],
    ['1h30m', 5_400_000],
    ['30', 30_000],
    [0, 0],
    ['1s1ms', 1001],
  ])('reads %s', (text, ms) => expect(parseDurationMs(text)).toBe(ms));

  it.each(['', 'soon', '5 minutes', '-1s', '1s?', '1d', -1])('refuses %s', (text) =>
    expect(parseDurationMs(text)).toBeUndefined(),
  );

  it('reads those between two, which are among them', () => {
    const within = durationWithin('1s', '24h');
    const texts = ['999ms', '1s', '24h', '24h1ms', 'soon'];
    const read = texts.map((text) => within.safeParse(text));
    expect(read.map(({ data }) => data)).toEqual([
      undefined,
      1000,
      86_400_000,
      undefined,
      undefined,
    ]);
    expect(read[0]?.error?.issues).toMatchObject([{ message: 'takes a duration from 1s to 24h' }]);
  });
});

describe('sizes', () => {
  it.each([
    ['512Mi', 536_870_912],
    ['1Gi', 1_073_741_824],
    ['50 MiB', 52_428_800],
    ['50MB', 50_000_000],
    ['1048576', 1_048_576],
    [7, 7],
    ['1.5k', 1500],
  ])('reads %s', (text, bytes) => expect(parseByteSize(text)).toBe(bytes));

  it.each(['', 'much', '1TB', '-5', 1.5])('refuses %s', (text) =>
    expect(parseByteSize(text)).toBeUndefined(),
  );
});

describe('names of types', () => {
  it.each([
    ['a.B', ['a.B']],
    [
      'a.b.*, langchain_core.prompts.prompt.PromptTemplate',
      ['a.b.*', 'langchain_core.prompts.prompt.PromptTemplate'],
    ],
    ['', []],
  ])('reads %s', (text, names) => {
    expect(typeNames().safeParse(text)).toEqual({ success: true, data: names });
  });

  it.each(['B', '*', 'a.*.B', 'a:B', 'a..B', 'a.B.'])('refuses %s', (text) => {
    expect(typeNames().safeParse(text).success).toBe(false);
  });
});

describe('numbers', () => {
  it.each([
    ['0.5', 0.5],
    ['2.0', 2],
    [1, 1],
  ])('reads %s', (text, number) => {
    expect(decimal({ min: 0.01 }).safeParse(text)).toEqual({ success: true, data: number });
  });

  it.each(['', '0', '-1', 'half', '0,5', '1e999'])('refuses %s', (text) => {
    expect(decimal({ min: 0.01 }).safeParse(text).success).toBe(false);
  });
});

describe('listen addresses', () => {
  it.each([
    [':8090', { port: 8090 }],
    ['127.0.0.1:0', { host: '127.0.0.1', port: 0 }],
    ['[::1]:8090', { host: '::1', port: 8090 }],
    ['localhost:80', { host: 'localhost', port: 80 }],
  ])('reads %s', (text, address) => expect(parseListenAddress(text)).toEqual(address));

  it.each(['8090', 'localhost', 'a:b', ':70000', '::1:8090', 'http://localhost:80'])(
    'refuses %s',
    (text) => expect(parseListenAddress(text)).toBeUndefined(),
  );

  it('knows which of them stay on this machine', () => {
    const addresses = ['127.0.0.1:1', '127.8.0.1:1', '[::1]:1', 'localhost:1', ':1', '0.0.0.0:1'];
    expect(addresses.map((text) => isLoopback(parseListenAddress(text) ?? { port: 0 }))).toEqual([
      true,
      true,
      true,
      true,
      false,
      false,
    ]);
  });
});
