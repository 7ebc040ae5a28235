import { Button } from '@mantine/core';
import type { ReactNode } from 'react';
import { Link, useLocation, useRouteError } from 'react-router';
import { EmptyState } from '../ui/empty-state.tsx';
import { ErrorView } from '../ui/error-view.tsx';

/** A page that broke while it was drawn or fetched; the frame around it goes on. */
export function RouteFailed(): ReactNode {
  const error = useRouteError();
  return <ErrorView error={error} title="This page stopped" onRetry={() => location.reload()} />;
}

/** An address that leads nowhere. */
export function PageMissing(): ReactNode {
  const { pathname } = useLocation();
  return (
    <EmptyState
      title="No such page"
      text={`Nothing is at ${pathname}.`}
      action={
        <Button component={Link} to="/threads">
          Open threads
        </Button>
      }
    />
  );
}
