import path from 'node:path';
import { answerDialogs, connectTo } from '../fixtures/desktop-work.ts';
import { expect, test } from '../fixtures/shell-test.ts';
import { startStubService } from '../fixtures/stub-service.ts';

const preload = path.resolve(import.meta.dirname, '../../electron/dist/preload/index.cjs');

/** What may be written into launch.json, but for what a test adds. */
const entry = {
  name: 'Agent Runtime: attach to Python',
  type: 'debugpy',
  request: 'attach',
  connect: { host: '127.0.0.1', port: 5678 },
  pathMappings: [],
  justMyCode: false,
};

test('takes no payload that does not match the schema of its channel', async ({ desktop }) => {
  const { ask } = desktop;
  const wrong: [string, string, unknown][] = [
    ['service', 'start', { folder: '/' }],
    ['service', 'start', ''],
    ['service', 'stop', 'now'],
    ['service', 'connect', { url: 'file:///etc/passwd' }],
    ['service', 'connect', { url: 'https://example.org', headers: { cookie: 'x' } }],
    ['settings', 'write', { port: -1 }],
    ['settings', 'write', { unknown: true }],
    ['files', 'saveBundle', { path: 'http://example.org/', suggestedName: 'a' }],
    ['files', 'saveBundle', { path: '//example.org/', suggestedName: 'a' }],
    ['editor', 'open', { file: '/etc/passwd', line: 0 }],
    ['debugging', 'addLaunchConfiguration', { ...entry, preLaunchTask: 'anything' }],
    ['debugging', 'addLaunchConfiguration', { ...entry, request: 'launch' }],
  ];
  for (const [room, name, input] of wrong) {
    expect([room, name, await ask(room, name, input)]).toEqual([
      room,
      name,
      { ok: false, error: { code: 'bad_payload', message: expect.any(String) } },
    ]);
  }
});

test('starts no folder, program, feed or connection that only the page names', async ({
  desktop,
  profile,
}) => {
  const { ask } = desktop;
  const { value: before } = await ask('settings', 'read');
  const named: [string, string, unknown][] = [
    ['service', 'start', profile],
    ['service', 'connect', { url: 'https://example.org' }],
    ['settings', 'write', { interpreter: '/tmp/program' }],
    ['settings', 'write', { updateFeed: 'https://example.org/feed' }],
  ];
  for (const [room, name, input] of named) {
    expect([name, input, await ask(room, name, input)]).toEqual([
      name,
      input,
      { ok: false, error: { code: 'not_possible', message: expect.any(String) } },
    ]);
  }
  expect((await ask('settings', 'read')).value).toEqual(before);
});

test('runs no program that the service responds with', async ({ desktop }) => {
  const stub = await startStubService({
    '/threads/a.js': (_request, response) => {
      response.setHeader('Content-Type', 'text/javascript');
      response.end('window.hasRun = true');
    },
  });
  try {
    await connectTo(desktop, { url: stub.url });
    const refused = await desktop.page.evaluate(async () => {
      const violation = new Promise<string>((resolve) =>
        document.addEventListener('securitypolicyviolation', (event) =>
          resolve(event.effectiveDirective),
        ),
      );
      const program = document.createElement('script');
      program.src = '/api/threads/a.js';
      document.body.append(program);
      const ended = new Promise<string>((resolve) =>
        program.addEventListener('load', () => resolve('it ran')),
      );
      return Promise.race([violation, ended]);
    });
    expect(refused).toBe('script-src-elem');
    expect(await desktop.page.evaluate(() => 'hasRun' in window)).toBe(false);
    const sniffing = await desktop.page.evaluate(async () =>
      (await fetch('/api/threads/a.js')).headers.get('X-Content-Type-Options'),
    );
    expect(sniffing).toBe('nosniff');
  } finally {
    await desktop.ask('service', 'disconnect');
    await stub.close();
  }
});

test('opens links outside, once their address was confirmed', async ({ desktop }) => {
  const { app, page } = desktop;
  await app.evaluate(({ shell }) => {
    const kept = globalThis as unknown as { links: string[] };
    kept.links = [];
    shell.openExternal = (url) => Promise.resolve(void kept.links.push(url));
  });
  const follow = (href: string): Promise<void> =>
    page.evaluate((address) => {
      const link = document.createElement('a');
      link.href = address;
      link.target = '_blank';
      link.rel = 'noreferrer noopener';
      document.body.append(link);
      link.click();
    }, href);
  const links = () => app.evaluate(() => (globalThis as unknown as { links: string[] }).links);
  await follow('https://example.org/not-confirmed');
  await answerDialogs(desktop, { confirm: true });
  await follow('https://example.org/confirmed');
  await expect.poll(links).toEqual(['https://example.org/confirmed']);
});

test('responds to no page but its own', async ({ desktop }) => {
  const { app } = desktop;
  const reply = await app.evaluate(async ({ BrowserWindow }, file) => {
    const window = new BrowserWindow({
      show: false,
      webPreferences: { preload: file, sandbox: true, contextIsolation: true },
    });
    await window.loadURL('data:text/html,<p>another page</p>');
    const outcome: unknown = await window.webContents.executeJavaScript(
      'window.desktop.service.view()',
    );
    window.destroy();
    return outcome;
  }, preload);
  expect(reply).toEqual({
    ok: false,
    error: { code: 'foreign_sender', message: expect.any(String) },
  });
});

test('opens only files of the agent folder in the editor', async ({ served, shared }) => {
  const { app, ask } = served;
  await app.evaluate(({ shell }) => {
    const kept = globalThis as unknown as { opened: string[] };
    kept.opened = [];
    shell.openExternal = (url) => Promise.resolve(void kept.opened.push(url));
  });
  expect(await ask('editor', 'open', { file: '/etc/passwd' })).toMatchObject({ ok: false });
  expect(await ask('editor', 'open', { file: '../../etc/passwd' })).toMatchObject({ ok: false });
  expect(await ask('editor', 'open', { file: 'echo.py', line: 7 })).toMatchObject({ ok: true });
  const opened = await app.evaluate(() => (globalThis as unknown as { opened: string[] }).opened);
  expect(opened).toEqual([`vscode://file${shared.agents.folder}/echo.py:7:1`]);
});

test('lets no page navigate away, open windows, get permissions or run what it was sent', async ({
  desktop,
}) => {
  const { app, page } = desktop;
  // Heard behind the desktop's own listener: by then it is known what that has decided.
  await app.evaluate(({ BrowserWindow }) => {
    const kept = globalThis as unknown as { led: [string, boolean][] };
    kept.led = [];
    for (const { webContents } of BrowserWindow.getAllWindows()) {
      webContents.on('will-frame-navigate', ({ url, defaultPrevented }) => {
        kept.led.push([url, defaultPrevented]);
      });
    }
  });
  const outcome = await page.evaluate(async () => {
    const opened = window.open('https://example.org/') === null;
    const { state } = await navigator.permissions.query({ name: 'geolocation' });
    const isolated = !('require' in window) && !('process' in window);
    let evaluated = true;
    try {
      // oxlint-disable-next-line no-new-func, no-implied-eval -- that it does not work is what is tested
      new Function('return 1')();
    } catch {
      evaluated = false;
    }
    const foreign = await fetch('https://example.org/').then(
      () => 'reached',
      () => 'refused',
    );
    location.href = 'https://example.org/';
    return { opened, state, isolated, evaluated, foreign };
  });
  expect(outcome).toEqual({
    opened: true,
    state: 'denied',
    isolated: true,
    evaluated: false,
    foreign: 'refused',
  });
  await expect
    .poll(() => app.evaluate(() => (globalThis as unknown as { led: unknown }).led))
    .toEqual([['https://example.org/', true]]);
  expect(page.url()).toMatch(/^app:\/\/studio\//);
  expect(await app.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows().length)).toBe(1);
});
