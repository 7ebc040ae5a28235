import { describe, expect, it } from 'vitest';
import type { DebuggingView, ServiceView } from '../ipc/contract.ts';
import type { FromService, ToService } from '../service/messages.ts';
import { openDebugging } from './debugging.ts';
import type { ServiceLink } from './service-host.ts';

function makeLink() {
  let deliver: (message: FromService) => void = () => undefined;
  let end: (code: number) => void = () => undefined;
  const posted: ToService[] = [];
  const link: ServiceLink = {
    pid: 1,
    post: (message) => void posted.push(message),
    onMessage: (listener) => void (deliver = listener),
    onOutput: () => undefined,
    ended: new Promise((resolve) => (end = resolve)),
    kill: () => undefined,
  };
  return { link, posted, send: (message: FromService) => deliver(message), end: () => end(1) };
}

function makeController() {
  const listeners: ((view: ServiceView) => void)[] = [];
  const control = {
    view: { state: 'stopped', steps: [], warnings: [] } as ServiceView,
    link: undefined as ServiceLink | undefined,
    onChange: (listener: (view: ServiceView) => void) => void listeners.push(listener),
  };
  const controller = openDebugging(control);
  const states: DebuggingView['state'][] = [];
  controller.onChange(({ state }) => void states.push(state));
  const become = (state: ServiceView['state'], link?: ServiceLink): void => {
    control.view = { ...control.view, state };
    control.link = link;
    for (const listener of listeners) listener(control.view);
  };
  return { controller, states, become };
}

describe('the debugger behind the window', () => {
  it('is unavailable without a service of this machine, with the reason', async () => {
    const { controller, become } = makeController();
    expect(controller.view()).toMatchObject({
      state: 'unavailable',
      message: expect.stringMatching(/^No service runs/),
    });
    become('remote');
    expect(controller.view().message).toContain('runs on another machine');
    await expect(controller.start({ provider: 'debugpy', port: 0 })).rejects.toThrow(
      'runs on another machine',
    );
  });

  it('is started and stopped in the service, and every change is reported', async () => {
    const { controller, states, become } = makeController();
    const { link, posted, send } = makeLink();
    become('ready', link);
    const started = controller.start({ provider: 'debugpy', port: 0 });
    expect(posted).toEqual([{ type: 'debug', id: 1, request: { provider: 'debugpy', port: 0 } }]);
    send({ type: 'debugging', view: { state: 'starting' } });
    send({ type: 'debugged', id: 1, view: { state: 'waiting', port: 5678 } });
    expect(await started).toEqual({ state: 'waiting', port: 5678 });
    send({ type: 'debugging', view: { state: 'attached', port: 5678 } });
    expect(controller.view()).toEqual({ state: 'attached', port: 5678 });
    const stopped = controller.stop();
    expect(posted.at(-1)).toEqual({ type: 'debug', id: 2 });
    send({ type: 'debugged', id: 2, view: { state: 'off' } });
    expect(await stopped).toEqual({ state: 'off' });
    expect(states).toEqual(['off', 'starting', 'waiting', 'attached', 'off']);
  });

  it('ends with the service, and starts again with the next one', async () => {
    const { controller, become } = makeController();
    const first = makeLink();
    become('ready', first.link);
    const started = controller.start({ provider: 'inspector', port: 9229 });
    first.send({ type: 'debugging', view: { state: 'starting' } });
    first.end();
    await expect(started).rejects.toThrow('ended meanwhile');
    become('starting', makeLink().link);
    expect(controller.view()).toEqual({
      state: 'unavailable',
      message: 'The service is starting.',
    });
    first.send({ type: 'debugging', view: { state: 'attached' } });
    become('ready', makeLink().link);
    expect(controller.view()).toEqual({ state: 'off' });
  });
});
