import { Button } from '@mantine/core';
import { IconAlertCircle } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { Link } from 'react-router';
import type { RunError } from '../../../api/generated/types.gen.ts';

/** Why the newest run failed, with a link to it. */
export function RunFailure({ error, runPath }: { error: RunError; runPath: string }): ReactNode {
  return (
    <section className="conversation-failure callout row" data-tone="error" role="alert">
      <IconAlertCircle className="tone" size={16} aria-hidden />
      <div className="grow">
        <h2>
          The newest run failed
          {error.node !== undefined && (
            <>
              {' '}
              in <code>{error.node}</code>
            </>
          )}
        </h2>
        <p>
          {error.type !== undefined && <strong>{error.type}: </strong>}
          {error.message}
        </p>
      </div>
      <Button component={Link} to={runPath}>
        Open run
      </Button>
    </section>
  );
}
