import { Button } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Link } from 'react-router';
import type { DesktopBridge, ServiceFailure } from '../../../../electron/src/ipc/contract.ts';
import { valueOf } from '../../api/desktop-reply.ts';

/** Pages that help; folders are chosen and services connected to on this one. */
const pages = {
  logs: { to: '/logs', label: 'Open log' },
  doctor: { to: '/doctor', label: 'Doctor' },
  settings: { to: '/settings', label: 'Settings' },
} as const;

interface StartFailureProps {
  readonly bridge: DesktopBridge;
  readonly failure: ServiceFailure;
}

/** Why the service is unavailable, what to do about it, and the buttons for that. */
export function StartFailure({ bridge, failure }: StartFailureProps): ReactNode {
  const restart = useMutation({ mutationFn: async () => valueOf(await bridge.service.restart()) });
  const install = useMutation({ mutationFn: async () => valueOf(await bridge.service.install()) });
  return (
    <div className="callout stack" data-tone="error" role="alert">
      <p>
        <strong>{failure.message}</strong>
      </p>
      <p>{failure.help}</p>
      <div className="row wrap">
        {failure.actions.map((action) => {
          if (action === 'choose_folder' || action === 'connect') return null;
          if (action === 'restart') {
            return (
              <Button key={action} loading={restart.isPending} onClick={() => restart.mutate()}>
                Restart
              </Button>
            );
          }
          if (action === 'install' || action === 'build') {
            return (
              <Button key={action} loading={install.isPending} onClick={() => install.mutate()}>
                {action === 'build' ? 'Build images' : 'Install packages'}
              </Button>
            );
          }
          return (
            <Button key={action} component={Link} to={pages[action].to}>
              {pages[action].label}
            </Button>
          );
        })}
      </div>
    </div>
  );
}
