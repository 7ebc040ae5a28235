/** @module-tag release */
/**
 * One attack on each promise of SECURITY.md, from outside, on a whole service in each of the ways that people run it.
 * A service for each way: what they promise differs by how they are started. Every rule is tested in full, with all of
 * its cases, where it is kept; this shows that each of them holds in the service as a whole.
 */
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { serviceProcesses } from '../bench/processes.ts';
import {
  startDesktopService,
  startOidcService,
  startOwnService,
  type AttackedService,
} from '../fixtures/attacked-services.ts';
import { packedBundle, threadLines } from '../fixtures/forged-bundle.ts';
import { listeningPorts } from '../fixtures/listening-ports.ts';
import { exchange, statusesIn } from '../fixtures/raw-http.ts';
import { waitUntil } from '../fixtures/wait-until.ts';

const ways = {
  own: startOwnService,
  oidc: startOidcService,
  desktop: startDesktopService,
} as const;
type Way = keyof typeof ways;

interface Sent {
  body?: unknown;
  headers?: Record<string, string>;
  /** Without the credentials that clients of the service have. */
  isStranger?: true;
}
interface HttpResponse {
  status: number;
  headers: Record<string, unknown>;
  text: string;
  json: Record<string, unknown>;
}

/** Sends what `fetch` would not: another Host, a path as it is, a body that is no JSON. */
function send(service: AttackedService, method: string, path: string, sent: Sent = {}) {
  const { body, headers = {}, isStranger } = sent;
  const bytes = Buffer.isBuffer(body) || body === undefined ? body : JSON.stringify(body);
  const type = bytes === undefined ? {} : { 'content-type': 'application/json' };
  const own = isStranger === true ? {} : service.credentials;
  return new Promise<HttpResponse>((resolve, reject) => {
    const { hostname, port } = new URL(service.url);
    const all = { ...type, ...own, ...headers };
    const asked = request({ hostname, port, method, path, headers: all }, (response) => {
      let text = '';
      response.on('data', (part: Buffer) => (text += part.toString()));
      response.on('end', () => {
        const { statusCode: status = 0, headers: received } = response;
        const isJson = received['content-type']?.startsWith('application/json') ?? false;
        resolve({
          status,
          headers: received,
          text,
          json: isJson && text !== '' ? JSON.parse(text) : {},
        });
      });
    });
    asked.on('error', reject).end(bytes);
  });
}

const run = (service: AttackedService, agent: string, input: object = {}, more: object = {}) =>
  send(service, 'POST', '/runs/wait', { body: { agent_id: agent, input, ...more } });

const statusesOf = (responses: readonly HttpResponse[]): number[] =>
  responses.map(({ status }) => status);
const rebound = { host: 'evil.example' };
const foreignPage = { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' };
const someRun = '0190b3c4-0000-7000-8000-000000000000';
const forged = [{ alg: 'none' }, { iss: 'x', aud: 'agents', sub: 'eve', exp: 9_999_999_999 }]
  .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
  .join('.');

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'attacks-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** What is tried, and its outcome: the same everywhere, or by how the service is run. */
interface Attack {
  promise: string;
  attack(service: AttackedService): Promise<unknown>;
  outcome: unknown;
}
const by = (outcomes: Record<Way, unknown>): unknown => ({ outcomes });

const attacks: readonly Attack[] = [
  {
    promise: 'its own clients are served',
    attack: async (service) => (await run(service, 'echo', { value: 1 })).json['output'],
    outcome: { value: 1 },
  },
  {
    promise: 'strangers are asked for credentials, where there are any',
    attack: async (service) =>
      statusesOf([
        await send(service, 'GET', '/agents', { isStranger: true }),
        await send(service, 'POST', '/runs', { isStranger: true, body: {} }),
        await send(service, 'GET', '/metrics', { isStranger: true }),
        await send(service, 'GET', '/compat/langgraph/threads/t', { isStranger: true }),
      ]),
    outcome: by({
      own: [200, 202, 200, 404],
      oidc: [401, 401, 401, 401],
      desktop: [401, 401, 401, 401],
    }),
  },
  {
    promise: 'a forged token opens nothing',
    attack: async (service) => {
      const headers = { authorization: `Bearer ${forged}.` };
      return (await send(service, 'GET', '/agents', { isStranger: true, headers })).status;
    },
    outcome: by({ own: 200, oidc: 401, desktop: 401 }),
  },
  {
    promise: 'a page whose name was rebound to this machine is refused',
    attack: async (service) =>
      statusesOf([
        await send(service, 'GET', '/agents', { headers: rebound }),
        await send(service, 'POST', '/threads', { headers: rebound, body: {} }),
        await send(service, 'GET', '/info', { headers: rebound }),
      ]),
    // Where every caller shows a token, such a page has none.
    outcome: by({ own: [421, 421, 421], oidc: [200, 201, 200], desktop: [421, 421, 421] }),
  },
  {
    promise: 'probes get a response under any name, and reveal nothing else to such a page',
    attack: async (service) => {
      const { json } = await send(service, 'GET', '/health', {
        headers: rebound,
        isStranger: true,
      });
      return [json['status'], Object.keys(json['components'] as object)];
    },
    outcome: by({
      own: ['ok', []],
      oidc: ['ok', ['engine', 'disk', 'guest']],
      desktop: ['ok', []],
    }),
  },
  {
    promise: 'two Host headers are one too many',
    attack: async ({ url }) =>
      statusesIn(
        await exchange(
          url,
          'GET /health HTTP/1.1\r\nHost: localhost\r\nHost: a\r\nConnection: close\r\n\r\n',
        ),
      ),
    outcome: [400],
  },
  {
    promise: 'a page of another origin changes nothing',
    attack: async (service) => {
      const headers = foreignPage;
      const join = `/compat/langgraph/threads/t/runs/${someRun}/join`;
      return statusesOf([
        await send(service, 'POST', '/threads', { headers }),
        await send(service, 'POST', '/runs', { headers, body: {} }),
        await send(service, 'DELETE', '/threads/t', { headers }),
        await send(service, 'GET', `${join}?cancel_on_disconnect=true`, { headers }),
      ]);
    },
    outcome: [403, 403, 403, 403],
  },
  {
    promise: 'a page of another origin reads nothing',
    attack: async (service) => {
      const preflight = { ...foreignPage, 'access-control-request-method': 'GET' };
      const responses = [
        await send(service, 'GET', '/agents', { headers: foreignPage }),
        await send(service, 'OPTIONS', '/agents', { headers: preflight }),
      ];
      return responses
        .flatMap(({ headers }) => Object.keys(headers))
        .filter((name) => name.startsWith('access-control'));
    },
    outcome: [],
  },
  {
    promise: 'no request is smuggled behind another',
    attack: async ({ url }) => {
      const head = 'POST /threads HTTP/1.1\r\nHost: localhost\r\n';
      const behind = `0\r\n\r\n${head}Content-Length: 0\r\n\r\n`;
      const lines = [
        'Content-Length: 4\r\nTransfer-Encoding: chunked',
        'Content-Length: 0\r\nContent-Length: 5',
        'Transfer-Encoding : chunked',
      ];
      const texts = lines.map((line) => exchange(url, `${head}${line}\r\n\r\n${behind}`));
      return (await Promise.all(texts)).map(statusesIn);
    },
    outcome: [[400], [400], [400]],
  },
  {
    promise: 'requests without number are served up to a limit',
    attack: async ({ url }) => {
      const one = 'GET /live HTTP/1.1\r\nHost: localhost\r\n\r\n';
      const served = statusesIn(await exchange(url, one.repeat(20_000)));
      return [served.length < 100, new Set(served)];
    },
    outcome: [true, new Set([200])],
  },
  {
    promise: 'a path leads nowhere but to its route',
    attack: async (service) => {
      const ids = [
        '..',
        '%2e%2e%2f..%2fetc',
        '%252e%252e',
        '%c0%ae',
        '%00',
        '..;',
        '__proto__',
        'constructor',
      ];
      const paths = ids.flatMap((id) => [`/threads/${id}`, `/agents/${id}`, `/runs/${id}`]);
      const pages = ['/swagger-ui/..%2f..%2fpackage.json', '/studio/..%2f..%2fpackage.json'];
      const responses = [];
      for (const path of [...paths, ...pages]) responses.push(await send(service, 'GET', path));
      return [...new Set(statusesOf(responses))].toSorted((left, right) => left - right);
    },
    outcome: [400, 404],
  },
  {
    promise: 'a body has a size, also one that is packed, and a depth',
    attack: async (service) => {
      const large = Buffer.alloc(20 * 1024 * 1024, ' ');
      const deep = Buffer.from(`{"metadata":${'['.repeat(20_000)}${']'.repeat(20_000)}}`);
      const headers = { 'content-encoding': 'gzip' };
      return statusesOf([
        await send(service, 'POST', '/threads', { body: large }),
        await send(service, 'POST', '/threads', { body: gzipSync(large), headers }),
        await send(service, 'POST', '/threads', { body: deep }),
      ]);
    },
    outcome: [413, 413, 400],
  },
  {
    promise: 'members of every object and halves of characters are data',
    attack: async (service) => {
      const text =
        '{"agent_id":"echo","input":{"value":{"__proto__":{"is":1},"constructor":{"prototype":{"is":1}},"half":"\\ud800"}}}';
      const response = await send(service, 'POST', '/runs/wait', { body: Buffer.from(text) });
      const { json: plain } = await run(service, 'echo', { value: {} });
      return [response.status, response.text.includes('"__proto__":{"is":1}'), plain['output']];
    },
    outcome: [200, true, { value: {} }],
  },
  {
    promise: "a client has no part in LangGraph's machinery",
    attack: async (service) => {
      const config = { configurable: { __pregel_send: 'x' } };
      return (await run(service, 'echo', {}, { config })).status;
    },
    outcome: 400,
  },
  {
    promise: 'a bundle is taken whole or not at all, and none is larger than it looks',
    attack: async (service) => {
      const zeros = gzipSync(Buffer.alloc(200 * 1024 * 1024));
      const lines = threadLines('forged');
      const wrong = packedBundle([...lines, { kind: 'run', run_uuid: '../../etc' }]);
      return statusesOf([
        await send(service, 'POST', '/bundles', { body: zeros }),
        await send(service, 'POST', '/bundles', { body: wrong }),
        await send(service, 'GET', '/threads/forged'),
      ]);
    },
    outcome: [expect.toSatisfy((status) => status === 400 || status === 413), 400, 404],
  },
  {
    promise: 'agents do not see the settings and secrets of the service',
    attack: async (service) => (await run(service, 'environment')).json['output'],
    // No secret: by it the service finds what a guest has started.
    outcome: { value: ['SERVICE_GUEST_MARK'] },
  },
  {
    promise: 'its engine responds to no other client',
    attack: async ({ pid }) => {
      const engine = serviceProcesses(pid).find(({ name }) => name === 'engine')?.pid ?? 0;
      const ports = listeningPorts(engine);
      const preface = 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n';
      const responses = ports.map((port) => exchange(`http://127.0.0.1:${port}`, preface));
      // A server of HTTP/2 would begin with its settings (frame type 4), one of TLS sends an alert or nothing.
      return (await Promise.all(responses)).map(
        (text) => text === '' || text.charCodeAt(0) === 0x15,
      );
    },
    outcome: [true],
  },
  {
    promise: 'an agent may print what it likes: its run ends, and a part is kept',
    attack: async (service) => {
      const { json } = await run(service, 'flood');
      const logs = await send(service, 'GET', `/runs/${String(json['run_id'])}/logs?limit=1000`);
      const { lines, dropped } = logs.json as { lines: unknown[]; dropped: number };
      return [json['status'], lines.length <= 1_000, dropped > 0, logs.text.length < 2_000_000];
    },
    outcome: ['completed', true, true, true],
  },
  {
    promise: 'an agent that kills its process fails alone: ten runs beside it complete',
    attack: async (service) => {
      const file = join(folder, `met-${service.pid}`);
      const begun = Array.from({ length: 10 }, (_, index) => `${file}-${index}`);
      const beside = begun.map((mark) => run(service, 'meet', { file, begun: mark }));
      await waitUntil('ten runs to begin', 60_000, () => begun.every((mark) => existsSync(mark)));
      const crashed = await run(service, 'segfault', { file });
      const ended = await Promise.all(beside);
      const error = crashed.json['error'] as { code?: string } | undefined;
      return [error?.code, new Set(ended.map(({ json }) => json['status']))];
    },
    outcome: ['restarts_exhausted', new Set(['completed'])],
  },
  {
    promise: 'nothing of all this was unforeseen',
    attack: async (service) => {
      const { json } = await send(service, 'GET', '/health');
      const lines = service.output().split('\n');
      return [json['status'], lines.filter((line) => line.includes('request failed'))];
    },
    outcome: ['ok', []],
  },
];

describe.each(Object.entries(ways))('%s', (way, start) => {
  let service: AttackedService;
  beforeAll(async () => {
    service = await start();
  });
  afterAll(() => service?.close());

  it.each(attacks.map((one) => [one.promise, one] as const))(
    '%s',
    async (_, { attack, outcome }) => {
      const isVaried = typeof outcome === 'object' && outcome !== null && 'outcomes' in outcome;
      // Made by `by`, which has one for each way.
      const expected = isVaried
        ? (outcome as { outcomes: Record<string, unknown> }).outcomes[way]
        : outcome;
      expect(await attack(service)).toEqual(expected);
    },
  );
});
