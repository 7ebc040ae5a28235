import { once } from 'node:events';
import path from 'node:path';
import type { IncomingMessage } from 'node:http';
import { expect, test } from '../fixtures/shell-test.ts';
import { answerDialogs, connectTo } from '../fixtures/desktop-work.ts';
import { request } from '../fixtures/page-requests.ts';
import { startStubService } from '../fixtures/stub-service.ts';

const megabyte = 1024 * 1024;

test('uses a remote service with a token that the window never sees', async ({ desktop }) => {
  const seen: IncomingMessage['headers'][] = [];
  const stub = await startStubService({
    '/asked': ({ headers }, response) => {
      seen.push(headers);
      response.end('[]');
    },
  });
  try {
    const { ask, page } = desktop;
    const { value } = await connectTo(desktop, {
      url: `${stub.url}/`,
      token: 'secret',
    });
    expect(value).toMatchObject({ state: 'remote', url: stub.url });
    // Where the system keeps no secrets, the token is used and the view shows that it is not kept.
    const kept = (await ask('doctor', 'examine')).value.find(
      ({ id }: { id: string }) => id === 'secrets',
    );
    expect(value.warnings).toEqual(kept.state === 'ok' ? [] : [kept.detail]);
    await page.evaluate(() =>
      fetch('/api/asked', {
        method: 'POST',
        headers: { Authorization: 'Bearer forged', 'X-Test-Principal': '{"sub":"a"}' },
      }),
    );
    expect(seen).toHaveLength(1);
    expect(seen[0]).toMatchObject({
      authorization: 'Bearer secret',
      'x-test-principal': '{"sub":"a"}',
    });
    const names = Object.keys(seen[0] ?? {});
    expect(names.filter((name) => /^(origin|referer|cookie|sec-)/.test(name))).toEqual([]);

    expect((await ask('service', 'disconnect')).value).toMatchObject({ state: 'stopped' });
    expect((await request(page, '/agents')).status).toBe(503);
  } finally {
    await stub.close();
  }
});

test('holds a sender up while the page does not read, and ends it when the page goes', async ({
  desktop,
}) => {
  let sent = 0;
  let isClosed = false;
  const stub = await startStubService({
    '/flood': (_request, response) => {
      const block = Buffer.alloc(megabyte, 'x');
      response.on('close', () => (isClosed = true));
      const write = async (): Promise<void> => {
        while (!response.destroyed && sent < 1_000) {
          sent += 1;
          if (!response.write(block)) await once(response, 'drain').catch(() => undefined);
        }
      };
      void write();
    },
  });
  try {
    const { page } = desktop;
    await connectTo(desktop, { url: stub.url });
    await page.evaluate(async () => {
      const response = await fetch('/api/flood');
      const reader = response.body?.getReader();
      await reader?.read();
      (window as unknown as { reader: unknown }).reader = reader;
    });
    // It comes to rest with what the buffers on the way hold.
    let before = -1;
    await expect
      .poll(
        () => {
          const isResting = sent === before;
          before = sent;
          return isResting;
        },
        { intervals: [500] },
      )
      .toBe(true);
    expect(sent).toBeLessThan(100);
    expect(isClosed).toBe(false);
    await page.evaluate(() =>
      (window as unknown as { reader: ReadableStreamDefaultReader }).reader.cancel(),
    );
    await expect.poll(() => isClosed).toBe(true);
  } finally {
    await stub.close();
  }
});

test('passes large bodies on, and more open streams than a browser has connections', async ({
  desktop,
}) => {
  let received = 0;
  let open = 0;
  const stub = await startStubService({
    '/upload': (incoming, response) => {
      incoming.on('data', (chunk: Buffer) => (received += chunk.length));
      incoming.on('end', () => response.end('{"done":true}'));
    },
    '/hold': (_incoming, response) => {
      open += 1;
      response.on('close', () => (open -= 1));
      response.write(': open\n\n');
    },
  });
  try {
    const { page } = desktop;
    await connectTo(desktop, { url: stub.url });
    const outcome = await page.evaluate(async (bytes) => {
      const body = new Blob([new Uint8Array(bytes)]);
      return (await fetch('/api/upload', { method: 'POST', body })).json() as Promise<unknown>;
    }, 20 * megabyte);
    expect(outcome).toEqual({ done: true });
    expect(received).toBe(20 * megabyte);

    await page.evaluate(async () => {
      const responses = Array.from({ length: 20 }, () => fetch('/api/hold'));
      (window as unknown as { held: Response[] }).held = await Promise.all(responses);
    });
    expect(open).toBe(20);
    expect((await request(page, '/anything')).status).toBe(200);
    await page.reload();
    await expect.poll(() => open).toBe(0);
  } finally {
    await stub.close();
  }
});

test('saves the response of a route into a chosen file', async ({ desktop, profile }) => {
  const stub = await startStubService({
    '/threads/a/bundle': (_incoming, response) => void response.end('{"kind":"thread"}\n'),
    '/threads/b/bundle': (_incoming, response) => {
      response.statusCode = 404;
      response.end('{"code":"thread_not_found","message":"There is no thread b."}');
    },
  });
  try {
    const { ask } = desktop;
    await connectTo(desktop, { url: stub.url });
    const file = path.join(profile, 'a.bundle');
    await answerDialogs(desktop, { save: file });
    const asked = { path: '/threads/a/bundle', suggestedName: 'a.bundle' };
    expect(await ask('files', 'saveBundle', asked)).toEqual({
      ok: true,
      value: { file, bytes: 18 },
    });
    const refused = await ask('files', 'saveBundle', { ...asked, path: '/threads/b/bundle' });
    expect(refused).toEqual({
      ok: false,
      error: { code: 'thread_not_found', message: 'There is no thread b.' },
    });
  } finally {
    await stub.close();
  }
});
