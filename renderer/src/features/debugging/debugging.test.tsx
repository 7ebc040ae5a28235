import { act, screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import type { ReactNode } from 'react';
import { createMemoryRouter } from 'react-router';
import { RouterProvider } from 'react-router/dom';
import { expect, onTestFinished, test, vi } from 'vitest';
import type { DebuggingView, DesktopBridge } from '../../../../electron/src/ipc/contract.ts';
import type { Agent } from '../../api/generated/types.gen.ts';
import { fakeService } from '../../test/fake-service.ts';
import { renderPart, renderRoutes } from '../../test/render-page.tsx';
import { DesktopDebugger } from './desktop-debugger.tsx';
import { routes } from './index.ts';
import { launchConfiguration, serveCommand } from './launch-configuration.ts';
// The page is loaded with its first visit; here before a test's time limit starts.
import './page.tsx';

const capabilities = { supports_interrupt: true, supports_streaming: true };
const agents: Agent[] = [
  { agent_id: 'chat', name: 'chat', capabilities, language: 'python' },
  { agent_id: 'triage', name: 'triage', capabilities, language: 'javascript' },
];

function renderInRouter(part: ReactNode): void {
  const router = createMemoryRouter([{ path: '*', element: part }]);
  renderPart(<RouterProvider router={router} />);
}

function makeBridge(problem?: string) {
  const calls: [name: string, input?: unknown][] = [];
  const answer = (name: string, value: unknown) => (input?: unknown) => {
    calls.push(input === undefined ? [name] : [name, input]);
    const error = { code: 'not_possible', message: problem };
    return Promise.resolve(problem === undefined ? { ok: true, value } : { ok: false, error });
  };
  const bridge = {
    debugging: {
      start: answer('start', { state: 'waiting' }),
      stop: answer('stop', { state: 'off' }),
      addLaunchConfiguration: answer('add', { file: '/a/.vscode/launch.json', isNew: true }),
      undoLaunchConfiguration: answer('undo', null),
    },
    editor: { open: answer('open', null) },
  } as unknown as DesktopBridge; // the parts of it that the page uses
  return { bridge, calls };
}

const button = (name: string): HTMLElement => screen.getByRole('button', { name });

test('shows in a browser which flags start a service under the debugger, and how to attach', async () => {
  fakeService({
    'GET /agents': () => agents,
    'GET /info': () => ({ version: '1', flags: {}, folder: '/home/me/my agents' }),
  });
  renderRoutes(routes, '/debug?agent=triage');
  const line =
    "npx service serve '/home/me/my agents' --sandbox none --debug --debug-provider inspector --debug-port 9229";
  expect(await screen.findByText(line)).toBeVisible();
  await userEvent.click(screen.getByRole('checkbox', { name: /Wait for a debugger/ }));
  expect(screen.getByText(`${line} --debug-opt wait-for-client=true`)).toBeVisible();
  expect(screen.getByLabelText('Launch configuration').textContent).toContain('"type": "node"');
  expect(screen.queryByRole('button', { name: /launch\.json/ })).toBeNull();
});

test('starts the debugger of the language with what was chosen', async () => {
  const { bridge, calls } = makeBridge();
  renderInRouter(<DesktopDebugger agents={agents} view={{ state: 'off' }} bridge={bridge} />);
  expect(screen.getByRole('status').textContent).toContain('Off');
  await userEvent.click(button('Start'));
  await waitFor(() =>
    expect(calls).toEqual([['start', { provider: 'debugpy', port: 0, options: {} }]]),
  );

  await userEvent.click(screen.getByRole('radio', { name: 'pydevd' }));
  expect(screen.getByText('Listen in PyCharm')).toBeVisible();
  await userEvent.click(button('Start'));
  await waitFor(() =>
    expect(calls.at(-1)).toEqual(['start', { provider: 'pydevd', port: 5678, options: {} }]),
  );
});

test('shows where a debugger attaches, adds it to launch.json and undoes that', async () => {
  const { bridge, calls } = makeBridge();
  const view: DebuggingView = {
    state: 'waiting',
    provider: 'debugpy',
    language: 'python',
    port: 40_123,
    pid: 77,
  };
  renderInRouter(<DesktopDebugger agents={agents} view={view} bridge={bridge} />);
  const state = screen.getByLabelText('State of the debugger');
  expect(state.textContent).toContain('Waiting for a debuggerat 127.0.0.1:40123');
  expect(state.textContent).toContain('debugpy · all Python agents · process 77');
  await userEvent.click(button('Add to .vscode/launch.json'));
  await screen.findByText(/Added to/);
  expect(calls.at(-1)).toMatchObject(['add', { connect: { host: '127.0.0.1', port: 40_123 } }]);
  await userEvent.click(button('.vscode/launch.json'));
  expect(calls.at(-1)).toEqual(['open', { file: '.vscode/launch.json' }]);
  await userEvent.click(button('Undo'));
  await screen.findByText('.vscode/launch.json is restored.');
  await userEvent.click(button('Stop'));
  await waitFor(() => expect(calls.at(-1)).toEqual(['stop']));
});

test.each([
  [{ state: 'starting', provider: 'debugpy' }, 'Starting', 'Stop'],
  [{ state: 'attached', provider: 'debugpy', port: 5678 }, 'Attached', 'Stop'],
  [{ state: 'failed', message: 'The debug port 5678 is taken.' }, 'another port', 'Try again'],
  [{ state: 'waiting', provider: 'pydevd', port: 5678 }, 'Waiting for the IDE', 'Stop'],
] satisfies [DebuggingView, string, string][])('shows %o', (view, text, action) => {
  const { bridge } = makeBridge();
  renderInRouter(<DesktopDebugger agents={agents} view={view} bridge={bridge} />);
  expect(screen.getByLabelText('State of the debugger').textContent).toContain(text);
  expect(button(action)).toBeVisible();
});

test('shows why the desktop could not do it', async () => {
  const { bridge } = makeBridge('launch.json has a syntax error in line 3.');
  const view: DebuggingView = { state: 'waiting', provider: 'inspector', port: 9229 };
  renderInRouter(<DesktopDebugger agents={agents} view={view} bridge={bridge} />);
  await userEvent.click(button('Add to .vscode/launch.json'));
  expect(await screen.findByText('launch.json has a syntax error in line 3.')).toBeVisible();
});

test('explains on a remote service why it cannot, and what its owner can do', async () => {
  fakeService({ 'GET /agents': () => agents, 'GET /info': () => ({ version: '1', flags: {} }) });
  const remote = { ok: true, value: { state: 'remote', steps: [], warnings: [] } };
  const message = 'The service runs on another machine.';
  const listen = () => () => undefined;
  vi.stubGlobal('desktop', {
    service: { view: () => Promise.resolve(remote), onChange: listen },
    debugging: {
      view: () => Promise.resolve({ ok: true, value: { state: 'unavailable', message } }),
      onChange: listen,
    },
  });
  // The module checks for the desktop once, when it is loaded; no other test may get the modules with this one.
  vi.resetModules();
  onTestFinished(() => void vi.resetModules());
  const { Component } = await import('./page.tsx');
  act(() => renderInRouter(<Component />));
  expect(await screen.findByText(message)).toBeVisible();
  expect(await screen.findByText(/^npx service serve \/path\/to\/the\/agents/)).toBeVisible();
});

test('maps the folder of the workspace to that of the service', () => {
  const target = { port: 5678, folder: '/srv/agents' };
  expect(launchConfiguration('debugpy', target)).toMatchObject({
    connect: { host: '127.0.0.1', port: 5678 },
    pathMappings: [{ localRoot: '${workspaceFolder}', remoteRoot: '/srv/agents' }],
    justMyCode: false,
  });
  expect(launchConfiguration('pydevd', target)).toBeUndefined();
  expect(serveCommand('debugpy', { ...target, options: {} })).toBe(
    'npx service serve /srv/agents --sandbox none --debug --debug-provider debugpy --debug-port 5678',
  );
});
