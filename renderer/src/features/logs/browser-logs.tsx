import { Button } from '@mantine/core';
import type { ReactNode } from 'react';
import { Link } from 'react-router';
import { useServiceUrl } from '../../api/queries/service-url.ts';
import { EmptyState } from '../../ui/empty-state.tsx';

/** Explains where logs are when the studio is in a browser: a run's here, the service's where it was started. */
export function BrowserLogs(): ReactNode {
  const serviceUrl = useServiceUrl();
  return (
    <EmptyState
      title="Logs of runs are with their runs"
      text={
        <>
          What an agent wrote during a run is in that run’s <b>Logs</b> tab, and in the output of
          the command below, until ten minutes after its end. The service’s own log is not sent to
          browsers: it is on the terminal, in the container’s log or in the journal of the process
          that started the service; <code>SERVICE_LOG_LEVEL</code> and{' '}
          <code>SERVICE_LOG_FORMAT</code> configure it. The desktop app shows it here.
        </>
      }
      action={
        <Button component={Link} to="/threads" variant="filled">
          Find a run
        </Button>
      }
      curl={`curl -s '${serviceUrl}/runs/<run_id>/logs' -H 'accept: text/plain'`}
    />
  );
}
