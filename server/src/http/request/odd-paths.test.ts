// Paths that mean another path to a careless parser, in every operation that takes an id: what a client gets is a 4xx.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startHttpService, type HttpService } from '../../../test/fixtures/http-service.ts';
import { exchange, statusesIn } from '../../../test/fixtures/raw-http.ts';
import { routes } from '../../contract/routes.ts';
import { ServiceError } from '../../errors/service-error.ts';
import { PIPELINED_REQUESTS } from '../../model/limits/http-limits.ts';
import { protocolContracts } from '../agent-protocol/protocol-routes.ts';
import { compatContracts } from '../compat/compat-routes.ts';

let service: HttpService;
beforeAll(async () => {
  service = await startHttpService({
    // As the service's own error for threads that do not exist, as none of these do.
    stateReads: {
      // eslint-disable-next-line require-yield
      async *describe() {
        throw new ServiceError('thread_not_found', 'There is no such thread.');
      },
    },
  });
});
afterAll(() => service.close());

const operations = [...routes, ...compatContracts, ...protocolContracts].filter(({ path }) =>
  path.includes('{'),
);

/** 501: whatever the id is, the operation is not there. */
const expected = [400, 404, 405, 409, 422, 501];

const request = (method: string, target: string, more = ''): string =>
  `${method} ${target} HTTP/1.1\r\nHost: localhost\r\n${more}Content-Length: 0\r\n\r\n`;

/** The operations that respond to such an id otherwise than as a wrong or an unknown one. */
async function surprises(id: string): Promise<string[]> {
  const found: string[] = [];
  for (let from = 0; from < operations.length; from += PIPELINED_REQUESTS) {
    const asked = operations
      .slice(from, from + PIPELINED_REQUESTS)
      .map(({ method, path }) => [method.toUpperCase(), path.replaceAll(/\{\w+\}/g, id)] as const);
    const bytes = asked.map(([method, path], at) =>
      request(method, path, at === asked.length - 1 ? 'Connection: close\r\n' : ''),
    );
    const statuses = statusesIn(await exchange(service.url, bytes.join('')));
    asked.forEach(([method, path], at) => {
      const status = statuses[at];
      if (!expected.includes(status ?? 0)) found.push(`${status} ${method} ${path}`);
    });
  }
  return found;
}

it('there are operations to ask', () => {
  expect(operations.length).toBeGreaterThan(40);
});

describe.each(
  Object.entries({
    'a path above': ['..', '.', '%2e%2e', '%2E%2e', '.%2e', '%2e', '...', '..;', '..;a=b'],
    'a path above, by a separator': [
      '..%2f..%2fetc',
      '..%2Fthreads',
      '..%5c..%5cetc',
      '%5c',
      '%2f',
      '..\\..',
    ],
    'a path above, encoded twice': ['%252e%252e', '%252e%252e%252f', '%25252e', '%255c'],
    'a path above, encoded too long': [
      '%c0%ae%c0%ae',
      '%c0%af',
      '%e0%80%ae',
      '%e0%80%af',
      '%f0%80%80%ae',
      '%c1%9c',
    ],
    'what is no UTF-8': ['%ff', '%fe%fe', '%ed%a0%80', '%80', '%c3', '%f8%88%80%80%80'],
    'what is no encoding': ['%', '%2', '%zz', '%u002e', '%%32%65'],
    'the end of a text': ['%00', 'a%00b', '..%00', 'a%00.json'],
    'other lines': ['%0d%0a', 'a%0aSet-Cookie:x', '%0d', 'a%e2%80%a8b', '%09', '%20'],
    'something beside': [
      ';',
      'a;b=c',
      '%3b',
      'a%3Bb',
      'a,b',
      'a*',
      '*',
      'a+b',
      '%26',
      '%3f',
      '%23',
    ],
    'a member of every object': [
      '__proto__',
      'constructor',
      'prototype',
      'toString',
      'hasOwnProperty',
    ],
    'a text of another language': [
      "'%20OR%20'1'='1",
      '%22%3Cscript%3E',
      '$%7Bjndi:x%7D',
      '{{7*7}}',
      'x%27%3B--',
      '%24(id)',
    ],
    'a file of the system': ['con', 'nul', 'C:', 'file:', '~root', '~'],
    'the text of no value': ['null', 'undefined', 'NaN', '-1', '0', 'true'],
    'another script': ['%E2%80%AE', '%EF%BC%8E%EF%BC%8E', '%EF%BC%8F', '%F0%9F%92%A9', '%D0%B0'],
  }),
)('an id that is %s', { tags: 'release' }, (_, ids) => {
  it.each(ids)('%s', async (id) => {
    expect(await surprises(id)).toEqual([]);
  });
});

it.each([201, 2_000, 15_000])(
  'an id of %i characters is wrong or unknown',
  { tags: 'release' },
  async (length) => {
    expect(await surprises('x'.repeat(length))).toEqual([]);
  },
);

describe('a target that is no path', () => {
  it.each<[string, string, number[]]>([
    ['GET', 'http://evil.example/threads/t', [404]],
    ['GET', 'http://localhost/threads/../agents', [404]],
    ['GET', 'https://localhost:1/agents', [200]],
    ['GET', 'http://user:password@localhost/agents', [200]],
    ['GET', 'file:///etc/passwd', [404]],
    ['GET', 'ftp://localhost/agents', [200]],
    ['GET', 'javascript:alert(1)', [400]],
    ['GET', 'localhost:8090', [400]],
    ['GET', '//localhost/agents', [404]],
    ['GET', '///agents', [404]],
    ['GET', '/./agents', [404]],
    ['GET', '/agents/..', [404]],
    ['GET', '/agents/../agents', [404]],
    ['GET', '/\\agents', [404]],
    ['GET', '/agents%3fa', [404]],
    ['GET', '/agents;a=b', [404]],
    ['GET', '/AGENTS', [404]],
    ['GET', '*', [404]],
    ['OPTIONS', '*', [404]],
    ['GET', '?', [400]],
    ['GET', 'agents', [400]],
    ['GET', '/swagger-ui/..%2f..%2f..%2fpackage.json', [404]],
    ['GET', '/swagger-ui/%2e%2e/%2e%2e/package.json', [404]],
    ['GET', '/swagger-ui/..%5c..%5cpackage.json', [404]],
    ['GET', '/swagger-ui//etc/passwd', [404]],
    ['CONNECT', 'localhost:22', []],
  ])('%s %s', async (method, target, statuses) => {
    const bytes = request(method, target, 'Connection: close\r\n');
    expect(statusesIn(await exchange(service.url, bytes))).toEqual(statuses);
  });
});
