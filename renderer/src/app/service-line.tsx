import { Button } from '@mantine/core';
import { IconAlertTriangle, IconInfoCircle } from '@tabler/icons-react';
import { useMutation, useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Link, useLocation } from 'react-router';
import { healthQuery } from '../api/queries/health.ts';
import { desktop } from '../desktop.ts';
import './service-line.css';
import { serviceTrouble, type Trouble } from './service-trouble.ts';
import { useDesktopService } from '../api/desktop-service.ts';

/** As tokens.css has them. */
const colours = { calm: 'cancelled', warning: 'interrupted', failure: 'error' } as const;

/** One line under the header while the service cannot be used: what, why, and buttons that help. */
export function ServiceLine(): ReactNode {
  const health = useQuery(healthQuery);
  const view = useDesktopService();
  const trouble = serviceTrouble(view, health.data, health.isError);
  // The page that starts it shows the same, and more of it.
  const isAtStart = useLocation().pathname === '/welcome' && view !== undefined;
  if (trouble === undefined || (isAtStart && view.state !== 'ready')) return null;
  const { what, why, actions, tone = 'failure' } = trouble;
  const Icon = tone === 'calm' ? IconInfoCircle : IconAlertTriangle;
  return (
    <div
      className="service-line note"
      role={tone === 'calm' ? 'status' : 'alert'}
      data-tone={colours[tone]}
    >
      <Icon size={16} aria-hidden />
      <strong>{what}</strong>
      <span className="clip grow" title={why}>
        {why}
      </span>
      {actions.map((action) => (
        <Helping
          key={action}
          action={action}
          folder={view?.folder}
          onAgain={() => void health.refetch()}
        />
      ))}
    </div>
  );
}

const pages = {
  choose_folder: { to: '/welcome', label: 'Open folder' },
  logs: { to: '/logs', label: 'Open log' },
  doctor: { to: '/doctor', label: 'Doctor' },
  settings: { to: '/settings', label: 'Settings' },
  connect: { to: '/welcome', label: 'Connect' },
} as const;

interface HelpingProps {
  readonly action: Trouble['actions'][number];
  readonly folder: string | undefined;
  readonly onAgain: () => void;
}

function Helping({ action, folder, onAgain }: HelpingProps): ReactNode {
  // What became of it is in the next view of the service, which this line shows.
  const restart = useMutation({
    mutationFn: async () =>
      action === 'start' && folder !== undefined
        ? desktop?.service.start(folder)
        : desktop?.service.restart(),
  });
  const install = useMutation({ mutationFn: async () => desktop?.service.install() });
  const cancelBuild = useMutation({ mutationFn: async () => desktop?.service.cancelBuild() });
  switch (action) {
    case 'again':
      return (
        <Button size="compact-xs" onClick={onAgain}>
          Try now
        </Button>
      );
    case 'restart':
    case 'start':
      return (
        <Button size="compact-xs" loading={restart.isPending} onClick={() => restart.mutate()}>
          {action === 'start' ? 'Start' : 'Restart'}
        </Button>
      );
    case 'install':
    case 'build':
      return (
        <Button size="compact-xs" loading={install.isPending} onClick={() => install.mutate()}>
          {action === 'build' ? 'Build images' : 'Install packages'}
        </Button>
      );
    case 'cancel_build':
      return (
        <Button
          size="compact-xs"
          loading={cancelBuild.isPending}
          onClick={() => cancelBuild.mutate()}
        >
          Cancel build
        </Button>
      );
    case 'choose_folder':
    case 'logs':
    case 'doctor':
    case 'settings':
    case 'connect':
      return (
        <Button size="compact-xs" component={Link} to={pages[action].to}>
          {pages[action].label}
        </Button>
      );
  }
}
