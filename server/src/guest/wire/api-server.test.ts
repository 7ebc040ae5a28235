// Calls of guests to the API: whose they are, and that none outlives its run.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Client, credentials, type ClientDuplexStream } from '@grpc/grpc-js';
import { afterEach, beforeEach, expect, it } from 'vitest';

import { MemorySession } from '../../../test/fixtures/memory-session.ts';
import type { AgentId, ThreadId } from '../../model/ids.ts';
import type { ApiCaller, ApiResponse, ApiRequest, GuestApiPort } from './api-port.ts';
import { CheckpointServer } from './checkpoint-server.ts';
import type { GuestCaller } from '../port.ts';
import { guestLimits } from '../limits.ts';
import type { ApiRequestMessage, ApiResponseMessage } from './proto-messages.ts';
import { protoMethod, protoService } from './proto.ts';
import type { TokenSession } from './token-session.ts';

const limits = { ...guestLimits, apiBodyMs: 500 };
const method = protoMethod<ApiRequestMessage, ApiResponseMessage>(protoService('Api'), 'Call');
// Valid ids.
const ids = { threadId: 't' as ThreadId, agentId: 'chat' as AgentId };
const caller: GuestCaller = { ...ids, principal: { sub: 'ada' } };

interface Seen {
  caller: ApiCaller | undefined;
  request: ApiRequest;
  signal: AbortSignal;
}

let folder = '';
let server: CheckpointServer;
let client: Client;
let session: TokenSession;
let seen: Seen[];
let respond: (seen: Seen) => Promise<ApiResponse>;

beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'api-'));
  const socketPath = path.join(folder, 'host.sock');
  seen = [];
  const api: GuestApiPort = {
    call(whose, request, signal) {
      const one = { caller: whose, request, signal };
      seen.push(one);
      return respond(one);
    },
  };
  const logger = { debug() {}, info() {}, warn() {}, error() {} };
  server = await CheckpointServer.start({ socketPath, maxMessageBytes: 1e6, logger, api, limits });
  session = server.openToken({ session: new MemorySession(), threadId: 't', caller });
  client = new Client(`unix:${socketPath}`, credentials.createInsecure());
});
afterEach(async () => {
  client.close();
  server.close();
  await rm(folder, { recursive: true });
});

type Call = ClientDuplexStream<ApiRequestMessage, ApiResponseMessage>;

function begin(token: string): Call {
  const { path: target, requestSerialize, responseDeserialize } = method;
  const call = client.makeBidiStreamRequest(target, requestSerialize, responseDeserialize);
  const headers = ['a', 'Constructor'].map((name) => ({ name, value: Buffer.from('1') }));
  call.write({ head: { token, method: 'POST', target: '/x?y', headers } });
  return call;
}

/** A response that begins, and continues until it is cancelled. */
const endless = async ({ signal }: Seen): Promise<ApiResponse> => ({
  status: 200,
  headers: [],
  body: (async function* () {
    yield Buffer.from('first');
    await new Promise((resolve) => signal.addEventListener('abort', resolve));
    yield Buffer.from('never seen');
  })(),
});

async function all(call: Call): Promise<ApiResponseMessage[]> {
  const parts: ApiResponseMessage[] = [];
  for await (const part of call as AsyncIterable<ApiResponseMessage>) parts.push(part);
  return parts;
}

it('hands the request over with its caller, and the response back', async () => {
  respond = async ({ request }) => ({
    status: 201,
    headers: [['b', '2']],
    body: request.body,
  });
  const call = begin(session.token);
  call.write({ body: Buffer.from('some') });
  call.write({ body: Buffer.alloc(600 * 1024) });
  call.write({ end: true });
  call.end();
  const [head, first, ...rest] = await all(call);
  expect(head).toMatchObject({ head: { status: 201, headers: [{ name: 'b' }] } });
  expect(first?.body?.toString()).toBe('some');
  expect(rest.map(({ body }) => body?.byteLength)).toEqual([256, 256, 88].map((kib) => kib * 1024));
  const request = { method: 'POST', target: '/x?y', headers: { a: ['1'], constructor: ['1'] } };
  expect(seen).toMatchObject([{ caller, request }]);
});

it('rejects an unknown token, also that of a run that has ended', async () => {
  respond = async () => ({ status: 403, headers: [], body: (async function* () {})() });
  server.closeToken(session);
  for (const token of ['another', session.token]) {
    const call = begin(token);
    call.end({ end: true });
    expect(await all(call)).toMatchObject([{ head: { status: 403 } }]);
  }
  expect(seen.map((one) => one.caller)).toEqual([undefined, undefined]);
});

it('knows on whose behalf a token calls that opens the API alone', async () => {
  respond = async () => ({ status: 204, headers: [], body: (async function* () {})() });
  const apiCaller = { principal: { sub: 'grace' } };
  const ofRequest = server.openToken({ session: new MemorySession(), apiCaller });
  const call = begin(ofRequest.token);
  call.end({ end: true });
  await all(call);
  expect(seen.map((one) => one.caller)).toEqual([apiCaller]);
  expect(ofRequest.caller).toBeUndefined();
});

it('cuts off at the end of the run what is under way', async () => {
  respond = endless;
  const call = begin(session.token);
  call.once('data', () => call.once('data', () => server.closeToken(session)));
  const parts: ApiResponseMessage[] = [];
  call.on('data', (part: ApiResponseMessage) => parts.push(part));
  const error = await new Promise<{ details: string }>((resolve) => call.on('error', resolve));
  expect(error.details).toBe('permission_denied: The run or request of this call has ended.');
  expect(parts).toHaveLength(2);
  expect(seen[0]?.signal.aborted).toBe(true);
});

it('gives up what the guest gives up', async () => {
  respond = endless;
  const call = begin(session.token);
  call.on('error', () => undefined);
  call.on('data', () => call.cancel());
  await expect.poll(() => seen[0]?.signal.aborted).toBe(true);
});

it.each([
  ['its body', []],
  ['the rest of its body', [{ body: Buffer.from('some') }]],
])('gives a request up whose agent does not send %s', async (_, sent) => {
  const taken: string[] = [];
  respond = async ({ request }) => {
    for await (const part of request.body) taken.push(Buffer.from(part).toString());
    return { status: 200, headers: [], body: request.body };
  };
  const call = begin(session.token);
  for (const part of sent) call.write(part);
  await expect(all(call)).rejects.toMatchObject({
    details: 'The request did not come within 0.5 s.',
  });
  expect(taken).toEqual(sent.map(() => 'some'));
});

it('fails when the response breaks off, or there is none', async () => {
  respond = async () => Promise.reject(new Error('secret'));
  const call = begin(session.token);
  await expect(all(call)).rejects.toMatchObject({
    details: 'The request of an agent could not be served.',
  });
});
