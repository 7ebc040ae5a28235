import { describe, expect, it } from 'vitest';
import type { DebuggingView, ServiceView } from '../ipc/contract.ts';
import type { FromService, ToService } from '../service/messages.ts';
import { openDebugging } from './debugging.ts';
import type { ServiceLink } from './service-host.ts';

function makeLink() {
  let hear: (message: FromService) => void = () => undefined;
  let end: (code: number) => void = () => undefined;
  const posted: ToService[] = [];
  const link: ServiceLink = {
    pid: 1,
    post: (message) => void posted.push(message),
    onMessage: (listener) => void (hear = listener),
    onOutput: () => undefined,
    ended: new Promise((resolve) => (end = resolve)),
    kill: () => undefined,
  };
  return { link, posted, say: (message: FromService) => hear(message), end: () => end(1) };
}

function makeDesk() {
  const listeners: ((view: ServiceView) => void)[] = [];
  const control = {
    view: { state: 'stopped', steps: [], warnings: [] } as ServiceView,
    link: undefined as ServiceLink | undefined,
    onChange: (listener: (view: ServiceView) => void) => void listeners.push(listener),
  };
  const desk = openDebugging(control);
  const heard: DebuggingView['state'][] = [];
  desk.onChange(({ state }) => void heard.push(state));
  const become = (state: ServiceView['state'], link?: ServiceLink): void => {
    control.view = { ...control.view, state };
    control.link = link;
    for (const listener of listeners) listener(control.view);
  };
  return { desk, heard, become };
}

describe('the debugger behind the window', () => {
  it('cannot be had without a service of this machine, and says why', async () => {
    const { desk, become } = makeDesk();
    expect(desk.view()).toMatchObject({
      state: 'unavailable',
      message: expect.stringMatching(/^No service runs/),
    });
    become('remote');
    expect(desk.view().message).toContain('runs elsewhere');
    await expect(desk.start({ provider: 'debugpy', port: 0 })).rejects.toThrow('runs elsewhere');
  });

  it('is started and stopped in the service, and every change is told', async () => {
    const { desk, heard, become } = makeDesk();
    const { link, posted, say } = makeLink();
    become('ready', link);
    const started = desk.start({ provider: 'debugpy', port: 0 });
    expect(posted).toEqual([{ type: 'debug', id: 1, request: { provider: 'debugpy', port: 0 } }]);
    say({ type: 'debugging', view: { state: 'starting' } });
    say({ type: 'debugged', id: 1, view: { state: 'waiting', port: 5678 } });
    expect(await started).toEqual({ state: 'waiting', port: 5678 });
    say({ type: 'debugging', view: { state: 'attached', port: 5678 } });
    expect(desk.view()).toEqual({ state: 'attached', port: 5678 });
    const stopped = desk.stop();
    expect(posted.at(-1)).toEqual({ type: 'debug', id: 2 });
    say({ type: 'debugged', id: 2, view: { state: 'off' } });
    expect(await stopped).toEqual({ state: 'off' });
    expect(heard).toEqual(['off', 'starting', 'waiting', 'attached', 'off']);
  });

  it('ends with the service, and begins anew with the next one', async () => {
    const { desk, become } = makeDesk();
    const first = makeLink();
    become('ready', first.link);
    const started = desk.start({ provider: 'inspector', port: 9229 });
    first.say({ type: 'debugging', view: { state: 'starting' } });
    first.end();
    await expect(started).rejects.toThrow('ended meanwhile');
    become('starting', makeLink().link);
    expect(desk.view()).toEqual({ state: 'unavailable', message: 'The service is starting.' });
    first.say({ type: 'debugging', view: { state: 'attached' } });
    become('ready', makeLink().link);
    expect(desk.view()).toEqual({ state: 'off' });
  });
});
