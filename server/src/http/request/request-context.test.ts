import { request } from 'node:http';
import { afterAll, beforeAll, expect, it } from 'vitest';

import { startHttpService, type HttpService } from '../../../test/fixtures/http-service.ts';
import type { RequestLine } from '../../auth/authenticator.ts';
import { anonymousPrincipal } from '../../model/principal.ts';

let service: HttpService;
const seen: (RequestLine | undefined)[] = [];
beforeAll(async () => {
  const authenticate = (_headers: unknown, line?: RequestLine) => {
    seen.push(line);
    return anonymousPrincipal;
  };
  service = await startHttpService({ authenticator: { authenticate } });
});
afterAll(() => service.close());

/** With the target as it is: `fetch` would tidy it up. */
function statusOf(target: string): Promise<number | undefined> {
  const { hostname, port } = new URL(service.url);
  return new Promise((resolve, reject) => {
    request({ hostname, port, path: target }, (response) => {
      response.resume();
      resolve(response.statusCode);
    })
      .once('error', reject)
      .end();
  });
}

it.each([
  ['/agents', '/agents', ''],
  ['/agents?a=1&b=?', '/agents', 'a=1&b=?'],
  ['http://127.0.0.1/agents?a=1', '/agents', 'a=1'],
  ['/agents#/ok', '/agents', ''],
  ['/agents?a=1#b', '/agents', 'a=1'],
  ['/compat/langgraph/assistants/agent%20a', '/assistants/agent%20a', ''],
  ['http://127.0.0.1/compat/langgraph/assistants/agent', '/assistants/agent', ''],
  ['/agents/x%2F..%2F..%2Fok', '/agents/x%2F..%2F..%2Fok', ''],
])('authenticates %s by the path that is served', async (target, rawPath, query) => {
  expect(await statusOf(target)).toBeOneOf([200, 404]); // 404: the agent, not the route
  const path = decodeURIComponent(rawPath);
  expect(seen.at(-1)).toEqual({ method: 'GET', path, rawPath, query });
});
