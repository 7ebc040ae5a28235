import { Button } from '@mantine/core';
import type { ReactNode } from 'react';
import { Link } from 'react-router';
import type { ThreadWithValues } from '../../../api/generated/types.gen.ts';
import { useServiceUrl } from '../../../api/queries/service-url.ts';
import { EmptyState } from '../../../ui/empty-state.tsx';
import { threadPath } from '../../../state/page-paths.ts';

interface NoMessagesProps {
  readonly thread: ThreadWithValues;
  /** The newest run's page. */
  readonly runPath: string | undefined;
}

/** Shown instead of messages: the thread's state has none, or there are none yet. */
export function NoMessages({ thread, runPath }: NoMessagesProps): ReactNode {
  const { thread_id: id, status, values } = thread;
  const url = useServiceUrl();
  const keys = Object.keys(values);
  const openState = (
    <Button component={Link} to={threadPath(id, 'state')}>
      Open state
    </Button>
  );
  if (status === 'busy' && runPath !== undefined) {
    return (
      <EmptyState
        title="A run is active"
        text="It has no messages yet. Its steps, events and payloads are on its own page."
        action={
          <>
            <Button component={Link} to={runPath} variant="filled">
              Follow the run
            </Button>
            {keys.length > 0 && openState}
          </>
        }
      />
    );
  }
  if (keys.length > 0) {
    const some = keys.slice(0, 6).join(', ');
    return (
      <EmptyState
        title="This thread has no messages"
        text={`Its state has ${some}${keys.length > 6 ? ' and more' : ''}.`}
        action={openState}
      />
    );
  }
  // The failure is shown above; that there are no messages is not news next to it.
  if (status === 'error') return null;
  return (
    <EmptyState
      title="No messages yet"
      text="The messages of this thread will be here. Write one below, or run an agent with its own input."
      action={
        <Button component={Link} to="?compose=1">
          Run an agent
        </Button>
      }
      curl={`curl -s '${url}/threads/${id}/runs?wait=30s' -H 'content-type: application/json' -d '{"input": {"messages": [{"role": "user", "content": "Hello"}]}}'`}
    />
  );
}
