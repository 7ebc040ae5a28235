import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { toApiError } from './errors.ts';
import { followTrace } from './follow-trace.ts';
import type { RunTrace, TraceSpan } from './generated/types.gen.ts';

const toClose: (() => void)[] = [];
afterEach(() => {
  for (const close of toClose.splice(0)) close();
});

const span = (id: string, status: TraceSpan['status'], second: number): TraceSpan => ({
  id,
  kind: 'node',
  name: id,
  status,
  attempt: 1,
  started_at: `2026-11-26T12:00:0${second}.000Z`,
});

function part(isOver: boolean, ...spans: TraceSpan[]): string {
  const run = { status: 'running', ...(isOver && { ended_at: '2026-11-26T12:00:09.000Z' }) };
  return `event: trace\ndata: ${JSON.stringify({ run, spans })}\n\n`;
}

/** A service that handles each connection by the next of these. */
async function serviceOf(...turns: ((response: ServerResponse) => void)[]) {
  const server = createServer((_request, response) => turns.shift()?.(response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  toClose.push(() => {
    server.closeAllConnections();
    server.close();
  });
  // `address()` is an object for every listener on a port.
  const { port } = server.address() as AddressInfo;
  return async (path: string, init: RequestInit): Promise<Response> => {
    const response = await fetch(`http://127.0.0.1:${port}${path}`, init);
    if (response.ok) return response;
    throw toApiError(await response.text(), response);
  };
}

function whenCalled(): { promise: Promise<void>; resolve: () => void } {
  let resolve = (): void => undefined;
  const promise = new Promise<void>((called) => (resolve = called));
  return { promise, resolve };
}

const shown = ({ spans }: RunTrace): string[] => spans.map(({ id, status }) => `${id} ${status}`);

test('a connection that breaks is made again, and begins with all of the trace', async () => {
  const seen: string[][] = [];
  const connect = await serviceOf(
    (response) => {
      response.write(part(false, span('b', 'running', 2)));
      response.write(part(false, span('a', 'running', 1), span('b', 'completed', 2)), () =>
        setImmediate(() => response.destroy()),
      );
    },
    (response) => response.end(part(true, span('b', 'completed', 2))),
  );
  const { signal } = new AbortController();
  const trace = await followTrace('t_1', {
    ...{ signal, connect, firstDelayMs: 1 },
    onTrace: (one) => seen.push(shown(one)),
  });
  expect(seen.slice(0, -1).at(-1)).toEqual(['a running', 'b completed']);
  expect(shown(trace)).toEqual(['b completed']);
});

test('a run that is gone is not asked for again', async () => {
  const connect = await serviceOf(
    (response) => response.end(part(false)),
    (response) => response.writeHead(404).end('{"code":"run_not_found","message":"No such run."}'),
  );
  const { signal } = new AbortController();
  const followed = followTrace('t_1', {
    signal,
    connect,
    firstDelayMs: 1,
    onTrace: () => undefined,
  });
  await expect(followed).rejects.toMatchObject({ code: 'run_not_found' });
});

test('nothing is read after an abort', async () => {
  const leaving = new AbortController();
  const { promise: closed, resolve: close } = whenCalled();
  const connect = await serviceOf((response) => {
    response.once('close', close);
    response.write(part(false));
  });
  const followed = followTrace('t_1', {
    ...{ signal: leaving.signal, connect },
    onTrace: () => leaving.abort(),
  });
  await expect(followed).rejects.toThrow(/abort/);
  await closed;
});
