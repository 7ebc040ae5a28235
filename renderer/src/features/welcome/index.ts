import { notifications } from '@mantine/notifications';
import type { RouteObject } from 'react-router';
import type { DesktopBridge } from '../../../../electron/src/ipc/contract.ts';
import { desktop } from '../../desktop.ts';
import type { Command } from '../../ui/commands.ts';

export const routes: RouteObject[] = [{ path: '/welcome', lazy: () => import('./page.tsx') }];

export const commands: readonly Command[] = [
  {
    id: 'welcome:open-folder',
    label: 'Open a folder of agents',
    group: 'Service',
    run: ({ navigate }) => navigate('/welcome'),
  },
  ...(desktop === undefined ? [] : serviceCommands(desktop)),
];

/** The result is in the next view of the service, which the frame shows. */
function serviceCommands({ service }: DesktopBridge): Command[] {
  return [
    {
      id: 'welcome:connect',
      label: 'Connect to a remote service',
      group: 'Service',
      run: ({ navigate }) => navigate('/welcome'),
    },
    {
      id: 'welcome:restart',
      label: 'Restart the service',
      group: 'Service',
      run: () => void service.restart(),
    },
    {
      id: 'welcome:copy-token',
      label: 'Copy the token that other programs send as X-Service-Token',
      group: 'Service',
      run: () => void copyToken(service),
    },
    {
      id: 'welcome:stop',
      label: 'Stop the service',
      group: 'Service',
      run: () => void service.stop(),
    },
  ];
}

async function copyToken(service: DesktopBridge['service']): Promise<void> {
  const reply = await service.copyToken();
  notifications.show(
    reply.ok
      ? { message: 'The token is on the clipboard. It changes with every restart.' }
      : { color: 'red', message: reply.error.message },
  );
}
