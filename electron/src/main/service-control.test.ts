import { describe, expect, it } from 'vitest';
import { defaultSettings } from '../ipc/desktop-settings.ts';
import type { FromService, ToService } from '../service/messages.ts';
import type { ApiTarget } from './api-target.ts';
import { createLogBuffer } from './log-buffer.ts';
import { ServiceControl } from './service-control.ts';
import type { ServiceLink } from './service-host.ts';

/** A service process scripted by the test; it ends when it receives `stop`. */
class FakeProcess implements ServiceLink {
  readonly pid = 1;
  readonly posted: ToService[] = [];
  readonly ended: Promise<number>;
  #end: (code: number) => void = () => undefined;
  #listener: (message: FromService) => void = () => undefined;

  constructor() {
    this.ended = new Promise((resolve) => (this.#end = resolve));
  }

  post(message: ToService): void {
    this.posted.push(message);
    if (message.type === 'stop') this.#end(0);
  }

  onMessage(listener: (message: FromService) => void): void {
    this.#listener = listener;
  }

  onOutput(): void {
    // It writes nothing.
  }

  kill(): void {
    this.#end(137);
  }

  send(...messages: FromService[]): void {
    for (const message of messages) this.#listener(message);
  }

  end(code: number): void {
    this.#end(code);
  }

  get token(): string {
    const [first] = this.posted;
    return first?.type === 'start' ? first.request.token : '';
  }
}

function makeControl(settings = defaultSettings) {
  const processes: FakeProcess[] = [];
  const settledAt: ApiTarget[] = [];
  let onProcess: (process: FakeProcess) => void = () => undefined;
  const control = new ServiceControl({
    host() {
      const process = new FakeProcess();
      processes.push(process);
      queueMicrotask(() => onProcess(process));
      return process;
    },
    logs: createLogBuffer(),
    async settlePage() {
      settledAt.push(control.target);
    },
    prepare: () => ({ dataRoot: '/data', serverEntry: '/server.js', settings }),
  });
  const states: string[] = [];
  control.onChange(({ state }) => {
    if (states.at(-1) !== state) states.push(state);
  });
  return {
    control,
    processes,
    settledAt,
    states,
    onNext: (next: typeof onProcess) => void (onProcess = next),
  };
}

const ready: FromService = { type: 'ready', url: 'http://127.0.0.1:4000' };

describe('the service behind the window', () => {
  it('is ready with its address and a token of this start alone', async () => {
    const { control, processes, states, onNext } = makeControl();
    onNext((process) => process.send({ type: 'step', name: 'folder' }, ready));
    expect(await control.start('/agents')).toMatchObject({
      state: 'ready',
      folder: '/agents',
      url: 'http://127.0.0.1:4000',
      port: 4000,
    });
    const first = processes[0]?.token ?? '';
    expect(control.target).toEqual({
      base: 'http://127.0.0.1:4000',
      headers: { 'X-Service-Token': first },
    });
    await control.restart();
    expect(first).toMatch(/^[\w-]{43}$/);
    expect(processes[1]?.token).not.toBe(first);
    expect(states).toEqual(['starting', 'ready', 'stopping', 'starting', 'ready']);
  });

  it('reports missing packages while it is ready, and installs them in a separate start', async () => {
    const { control, processes, onNext } = makeControl();
    const missing = { because: 'uv.lock exists, but no .venv.', command: 'uv sync' };
    onNext((process) => {
      process.send({ type: 'missing-packages', packages: [missing] }, ready);
      onNext((next) => next.send(ready));
    });
    expect(await control.start('/agents')).toMatchObject({
      state: 'ready',
      missingPackages: [missing],
    });
    const installed = await control.install();
    expect(installed).toMatchObject({ state: 'ready', folder: '/agents' });
    expect(installed).not.toHaveProperty('missingPackages');
    const installing = processes.map(({ posted: [first] }) =>
      first?.type === 'start' ? first.request.isInstalling : undefined,
    );
    expect(installing).toEqual([false, true]);
  });

  it('offers to build missing images, shows the build as a step, and can cancel it', async () => {
    const { control, processes, onNext } = makeControl({ ...defaultSettings, sandbox: 'docker' });
    const message = 'Images are missing: guest-python:1.';
    const missing: FromService = { type: 'failed', code: 'images_missing', message };
    onNext((process) => {
      process.send({ type: 'step', name: 'sandbox' }, { type: 'step', name: 'images' }, missing);
      onNext((next) => next.send({ type: 'step', name: 'build' }));
    });
    expect(await control.start('/agents')).toMatchObject({
      state: 'failed',
      failure: { step: 'images', message, actions: ['build', 'settings', 'doctor'] },
    });
    const building = control.install();
    await expect.poll(() => control.view.steps.map(({ name }) => name)).toContain('build');
    await expect.poll(() => processes[1]?.posted.length).toBe(1);
    control.cancelBuild();
    expect(processes[1]?.posted.at(-1)).toEqual({ type: 'cancel-build' });
    processes[1]?.send(missing);
    expect(await building).toMatchObject({ state: 'failed', failure: { step: 'build' } });
  });

  it('explains why a sandbox is unavailable, and where another one is chosen', async () => {
    const { control, onNext } = makeControl({ ...defaultSettings, sandbox: 'docker' });
    const message = 'There is no Docker daemon at /var/run/docker.sock.';
    onNext((process) =>
      process.send(
        { type: 'step', name: 'sandbox' },
        { type: 'failed', code: 'config_invalid', message },
      ),
    );
    expect((await control.start('/agents')).failure).toMatchObject({
      step: 'sandbox',
      message,
      help: expect.stringContaining('another sandbox in the settings') as string,
      actions: ['restart', 'settings', 'doctor'],
    });
  });

  it('has failed with the step that failed, and forwards no request to it', async () => {
    const { control, onNext } = makeControl();
    onNext((process) =>
      process.send(
        { type: 'step', name: 'folder' },
        { type: 'step', name: 'engine' },
        { type: 'failed', code: 'engine_unavailable', message: 'No engine was found.' },
      ),
    );
    expect(await control.start('/agents')).toMatchObject({
      state: 'failed',
      failure: { step: 'engine', code: 'engine_unavailable', message: 'No engine was found.' },
    });
    expect(control.target).toEqual({
      unavailable: 'The service has failed: No engine was found.',
    });
  });

  it('has failed when its process ends by itself', async () => {
    const { control, processes, onNext } = makeControl();
    onNext((process) => process.send(ready));
    await control.start('/agents');
    processes[0]?.end(139);
    await expect
      .poll(() => control.view)
      .toMatchObject({
        state: 'failed',
        failure: { code: 'service_ended', actions: ['restart', 'logs'] },
      });
  });

  it('is only the newest of two starts that were requested at once', async () => {
    const { control, processes, onNext } = makeControl();
    onNext((process) => process.send(ready));
    await Promise.all([control.start('/one'), control.start('/two')]);
    expect(control.view).toMatchObject({ state: 'ready', folder: '/two' });
    expect(processes.map(({ posted }) => posted.at(-1)?.type)).toEqual(['stop', 'start']);
  });

  it('is stopped while it starts, and the start settles then', async () => {
    const { control, processes } = makeControl();
    const starting = control.start('/agents');
    await expect.poll(() => processes.length).toBe(1);
    await control.stop();
    expect(await starting).toMatchObject({ state: 'stopped', folder: '/agents' });
  });

  it('keeps serving while the engine is unavailable, reports that, and is ready when it is back', async () => {
    const { control, processes, onNext } = makeControl();
    onNext((process) => process.send(ready));
    await control.start('/agents');
    processes[0]?.send({ type: 'engine', failing: 'The engine does not respond.' });
    expect(control.view).toMatchObject({
      state: 'failed',
      failure: { code: 'engine_unavailable' },
    });
    expect(control.target).toMatchObject({ base: 'http://127.0.0.1:4000' });
    processes[0]?.send({ type: 'engine' });
    expect(control.view.state).toBe('ready');
    expect(control.view.failure).toBeUndefined();
  });

  it('lets the page finish what it has delayed at the service that it was meant for', async () => {
    const { control, onNext, settledAt } = makeControl();
    onNext((process) => process.send(ready));
    await control.start('/one');
    expect(settledAt).toEqual([]);
    const first = control.target;
    await control.start('/two');
    const second = control.target;
    const remote = { url: 'https://agents.example.org', headers: {}, warnings: [] };
    await control.connect(remote);
    await control.stop();
    expect(settledAt).toEqual([first, second, { base: remote.url, headers: {} }]);
    await control.stop();
    expect(settledAt).toHaveLength(3);
  });

  it('has nothing to restart before a folder was opened', async () => {
    const { control } = makeControl();
    await expect(control.restart()).rejects.toMatchObject({ code: 'not_possible' });
  });
});
