import { VisuallyHidden } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Link } from 'react-router';
import { type Health, healthQuery, infoQuery } from '../api/queries/health.ts';
import { addressOf, folderOf } from '../api/service-info.ts';
import { desktop } from '../desktop.ts';
import { useDesktopService } from '../api/desktop-service.ts';
import { tip } from '../ui/tip.tsx';
import { isAboutAgents } from './service-trouble.ts';

/** The colours of its dot; hollow in any other state. */
const tones: Readonly<Record<string, string>> = {
  healthy: 'completed',
  limited: 'interrupted',
  failing: 'error',
  'not responding': 'error',
};

/** The folder of agents, a dot for the state of the service, and its port. */
export function ServiceStatus(): ReactNode {
  const health = useQuery(healthQuery);
  const info = useQuery(infoQuery).data;
  const view = useDesktopService();
  const state = stateWord(view?.state, health);
  const folder = folderOf({ ...info, ...(view?.folder !== undefined && { folder: view.folder }) });
  // The page's own origin is not the service's in the desktop: while it has none, no address is shown.
  const url = view?.url;
  const address =
    url === undefined && desktop !== undefined
      ? undefined
      : addressOf(url === undefined ? info : { url });
  const about = [
    `Service ${state}${info?.version === undefined ? '' : `, version ${info.version}`}`,
    ...(state === 'limited' ? ['Some agents cannot run'] : []),
    ...(address === undefined ? [] : [`${address.host}:${address.port}`]),
    ...(folder === undefined ? [] : [folder.path]),
  ].join('\n');
  return (
    <Link {...tip(about)} className="header-link row" to="/doctor">
      <VisuallyHidden>{`Service ${state}: `}</VisuallyHidden>
      <span className="header-dot" data-tone={tones[state]} aria-hidden />
      <strong className="clip">{folder?.name ?? address?.host ?? 'No service'}</strong>
      {address !== undefined && <span className="header-port mono dim">:{address.port}</span>}
    </Link>
  );
}

interface HealthResult {
  readonly isPending: boolean;
  readonly isError: boolean;
  readonly data: Health | undefined;
}

function stateWord(state: string | undefined, health: HealthResult): string {
  if (state === 'starting' || state === 'stopping' || state === 'stopped') return state;
  // A health result from before the failure is another service's.
  if (state === 'failed') return 'failing';
  if (health.isPending) return 'checking';
  if (health.isError) return 'not responding';
  if (health.data?.status === 'ok') return 'healthy';
  return health.data !== undefined && isAboutAgents(health.data) ? 'limited' : 'failing';
}
