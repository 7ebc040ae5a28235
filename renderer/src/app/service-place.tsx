import { Tooltip } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Link } from 'react-router';
import { healthQuery, infoQuery } from '../api/queries/health.ts';
import { addressOf, folderOf } from '../api/service-place.ts';

/** The folder of agents, a dot that says how the service is, and where it listens. */
export function ServicePlace(): ReactNode {
  const health = useQuery(healthQuery);
  const info = useQuery(infoQuery);
  const state = health.isPending
    ? 'asking'
    : health.isError
      ? 'not answering'
      : health.data.status === 'ok'
        ? 'healthy'
        : 'failing';
  const folder = folderOf(info.data);
  const { host, port } = addressOf(info.data);
  const version = info.data?.version;
  return (
    <Tooltip
      label={`Service ${state}${version === undefined ? '' : `, version ${version}`}, ${host}:${port}${folder === undefined ? '' : `\n${folder.path}`}`}
      style={{ whiteSpace: 'pre' }}
    >
      <Link
        className="header-place"
        to="/doctor"
        aria-label={`Service ${state}: ${folder?.name ?? host}, port ${port}`}
      >
        <span className={`header-dot header-dot-${state.replace(' ', '-')}`} aria-hidden />
        <strong>{folder?.name ?? host}</strong>
        <span className="header-port mono">:{port}</span>
      </Link>
    </Tooltip>
  );
}
