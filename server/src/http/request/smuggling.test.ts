// Requests whose end two servers could see at different positions: what follows must never be taken for a request.
import { afterEach, describe, expect, it } from 'vitest';
import { call } from '../../../test/fixtures/call.ts';
import { startHttpService, type HttpService } from '../../../test/fixtures/http-service.ts';
import { exchange, statusesIn } from '../../../test/fixtures/raw-http.ts';

let service: HttpService;
afterEach(() => service.close());

const smuggled = 'POST /threads HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0\r\n\r\n';
const json = 'Content-Type: application/json';

/** Sends a search with these header lines, and this behind them; the statuses of all responses, and the threads that exist. */
async function attack(lines: string[], behind: string, end = '\r\n'): Promise<unknown> {
  service = await startHttpService();
  const head = ['POST /threads/search HTTP/1.1', 'Host: localhost', ...lines, '', ''].join(end);
  const statuses = statusesIn(await exchange(service.url, head + behind));
  const { body } = await call(`${service.url}/threads/search`, 'POST', {});
  return { statuses, threads: body };
}

const refused = { statuses: [400], threads: [] };

describe('one response, 400, for', () => {
  it.each([
    ['a length and chunks', ['Content-Length: 4', 'Transfer-Encoding: chunked']],
    ['chunks and a length', ['Transfer-Encoding: chunked', 'Content-Length: 4']],
    ['two lengths', ['Content-Length: 0', 'Content-Length: 5']],
    ['a length that is two', ['Content-Length: 0, 5']],
    ['a length with a sign', ['Content-Length: +0']],
    ['a negative length', ['Content-Length: -1']],
    ['a length in hexadecimal', ['Content-Length: 0x0']],
    ['a length with a space in it', ['Content-Length: 0 0']],
    ['a length with an underscore', ['Content-Length: 0_0']],
    ['a length with a point', ['Content-Length: 0.0']],
    ['a length with an exponent', ['Content-Length: 0e0']],
    ['a length that is empty', ['Content-Length: ']],
    ['a length behind a comma', ['Content-Length: ,0']],
    ['a length that overflows', [`Content-Length: ${'9'.repeat(30)}`]],
    ['a length in other digits', ['Content-Length: \u0660']],
    ['a length with a space before the colon', ['Content-Length : 0']],
    ['a length over two lines', ['Content-Length:', ' 0']],
    ['the same length twice, one in another case', ['Content-Length: 0', 'content-length: 5']],
    [
      'codings in two lines',
      ['Transfer-Encoding: identity', 'Transfer-Encoding: chunked', 'Content-Length: 0'],
    ],
    ['a coding in quotes', ['Transfer-Encoding: "chunked"']],
    ['a coding and something behind it', ['Transfer-Encoding: chunked;q=1']],
    ['a coding and a comma, and a length', ['Transfer-Encoding: chunked,', 'Content-Length: 5']],
    ['no coding at all', ['Transfer-Encoding: ']],
    ['a coding with a null', ['Transfer-Encoding: chunked\u0000']],
    ['a name with a null', ['Transfer\u0000-Encoding: chunked']],
    ['a header without a colon', ['Transfer-Encoding']],
    ['a header without a name', [': chunked']],
    ['a coding that is not known', ['Transfer-Encoding: xchunked']],
    ['a last coding that is not chunked', ['Transfer-Encoding: chunked, identity']],
    ['a coding with a control character', ['Transfer-Encoding: \u000bchunked']],
    ['a space before the colon', ['Transfer-Encoding : chunked']],
    ['a header over two lines', ['X: a', ' Transfer-Encoding: chunked']],
    ['a line end without a line feed', ['X: a\rTransfer-Encoding: chunked']],
    ['a null in a header', ['X: a\u0000b']],
  ])('%s', async (_, lines) => {
    expect(await attack([json, ...lines], `0\r\n\r\n${smuggled}`)).toEqual(refused);
  });

  it('lines that end without a carriage return', async () => {
    expect(await attack([json, 'Transfer-Encoding: chunked'], '0\n\n', '\n')).toEqual(refused);
  });

  it.each([
    ['a chunk whose size has a sign', '+2\r\n{}\r\n0\r\n\r\n'],
    ['a chunk whose size is in hexadecimal', '0x2\r\n{}\r\n0\r\n\r\n'],
    ['a chunk whose size is negative', '-2\r\n{}\r\n0\r\n\r\n'],
    ['a chunk whose size has an underscore', '0_2\r\n{}\r\n0\r\n\r\n'],
    ['a chunk whose size follows a space', ' 2\r\n{}\r\n0\r\n\r\n'],
    ['a chunk without a size', '\r\n{}\r\n0\r\n\r\n'],
    ['a chunk whose extension ends in a line feed', '2;a\n{}\r\n0\r\n\r\n'],
    ['a chunk whose extension has a line end in it', '2;a\rb\r\n{}\r\n0\r\n\r\n'],
    ['a chunk without its end', '2\r\n{}0\r\n\r\n'],
    ['chunks whose end is a line feed', '2\r\n{}\r\n0\n\n'],
    ['a trailer over two lines', '2\r\n{}\r\n0\r\nX: a\r\n b\r\n\r\n'],
    ['a coding behind the chunks', '2\r\n{}\r\n0\r\nTransfer-Encoding: chunked\r\n\r\n'],
    ['a chunk whose size overflows', `${'f'.repeat(17)}\r\n{}\r\n0\r\n\r\n`],
    ['a chunk whose size line ends too early', '2\n{}\r\n0\r\n\r\n'],
    ['a chunk that is longer than its size', '1\r\n{}\r\n0\r\n\r\n'],
    ['a length behind the chunks', '2\r\n{}\r\n0\r\nContent-Length: 50\r\n\r\n'],
  ])('%s', async (_, chunks) => {
    const lines = [json, 'Transfer-Encoding: chunked'];
    expect(await attack(lines, chunks + smuggled)).toEqual(refused);
  });
});

it.each([
  ['a tab', 'POST\t/threads HTTP/1.1'],
  ['a target with a space', 'POST /threads x HTTP/1.1'],
  ['a version of another case', 'POST /threads http/1.1'],
  ['a version that there is not', 'POST /threads HTTP/9.9'],
  ['a space before the method', ' POST /threads HTTP/1.1'],
  ['a method that is none', 'P\u0000ST /threads HTTP/1.1'],
  ['an unknown method', 'SMUGGLE /threads HTTP/1.1'],
  ['the beginning of HTTP/2', 'PRI * HTTP/2.0'],
])('a request line with %s is refused with what comes behind it', async (_, line) => {
  service = await startHttpService();
  const text = `${line}\r\nHost: localhost\r\nContent-Length: 0\r\n\r\n${smuggled}`;
  const statuses = statusesIn(await exchange(service.url, text));
  const { body } = await call(`${service.url}/threads/search`, 'POST', {});
  expect({ statuses, threads: body }).toEqual(refused);
});

it.each(['POST /threads', 'POST /threads HTTP/0.9'])(
  'nothing is handled behind %s',
  async (line) => {
    service = await startHttpService();
    const text = `${line}\r\nHost: localhost\r\nContent-Length: 0\r\n\r\n${smuggled}`;
    expect(statusesIn(await exchange(service.url, text))).toEqual([201]);
    const { body } = await call(`${service.url}/threads/search`, 'POST', {});
    expect(body).toHaveLength(1);
  },
);

it('what is in a body is no request', async () => {
  const length = `Content-Length: ${smuggled.length}`;
  expect(await attack([json, length, 'Connection: close'], smuggled)).toEqual(refused);
});

it('chunks with extensions and trailers are one body', async () => {
  const lines = [json, 'Transfer-Encoding: chunked', 'Connection: close'];
  const response = await attack(lines, `2;a=b\r\n{}\r\n0\r\nX-Sum: 1\r\n\r\n${smuggled}`);
  expect(response).toEqual({ statuses: [200], threads: [] });
});
