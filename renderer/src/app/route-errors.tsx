import { Button } from '@mantine/core';
import type { ReactNode } from 'react';
import { Link, useLocation, useRouteError } from 'react-router';
import { EmptyState } from '../ui/empty-state.tsx';
import { ErrorView } from '../ui/error-view.tsx';

/** A page that failed while it was rendered or fetched; the frame around it keeps working. */
export function RouteFailed(): ReactNode {
  const error = useRouteError();
  return <ErrorView error={error} title="This page stopped" onRetry={() => location.reload()} />;
}

/** A URL without a page. */
export function PageMissing(): ReactNode {
  const { pathname } = useLocation();
  return (
    <EmptyState
      title="No such page"
      text={`There is no page ${pathname}.`}
      action={
        <Button component={Link} to="/threads">
          Open threads
        </Button>
      }
    />
  );
}
