import { Button } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Link } from 'react-router';
import { type Health, healthQuery } from '../api/queries/health.ts';
import './service-line.css';

/** One line under the header while the service fails: what, why, and a button that helps. */
export function ServiceLine(): ReactNode {
  const { data, isError, failureCount, refetch, isFetching } = useQuery(healthQuery);
  const trouble = isError ? unreachable : data?.status === 'failing' ? failing(data) : undefined;
  if (trouble === undefined) return null;
  return (
    <div className="service-line" role="alert" data-failures={failureCount}>
      <IconAlertTriangle size={16} aria-hidden />
      <strong>{trouble.what}</strong>
      <span className="service-line-why">{trouble.why}</span>
      <Button size="compact-xs" loading={isFetching} onClick={() => void refetch()}>
        Try now
      </Button>
      <Button size="compact-xs" component={Link} to="/logs">
        Open log
      </Button>
      <Button size="compact-xs" component={Link} to="/doctor">
        Doctor
      </Button>
    </div>
  );
}

const unreachable = {
  what: 'The service does not answer.',
  why: 'Nothing listens there, or it has stopped. The studio asks again every 5 s.',
};

function failing({ components }: Health): { what: string; why: string } {
  const broken = Object.entries(components).filter(([, { status }]) => status === 'failing');
  const names = broken.map(([name]) => name).join(' and ');
  const why = broken
    .map(([, component]) => ('message' in component ? String(component.message) : ''))
    .filter((message) => message !== '')
    .join(' ');
  return {
    what: `The ${names || 'service'} ${broken.length > 1 ? 'fail' : 'fails'}.`,
    why: why || 'It gives no reason; the log may.',
  };
}
