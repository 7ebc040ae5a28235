import { Button } from '@mantine/core';
import type { ReactNode } from 'react';
import { Link } from 'react-router';
import type { ThreadWithValues } from '../../../api/generated/types.gen.ts';
import { useServiceUrl } from '../../../api/queries/service-url.ts';
import { EmptyState } from '../../../ui/empty-state.tsx';
import { threadPath } from '../thread-links.ts';

interface NothingSaidProps {
  readonly thread: ThreadWithValues;
  /** The newest run's page. */
  readonly runPath: string | undefined;
}

/** Stands where messages would be: the thread keeps none, or nothing was said yet. */
export function NothingSaid({ thread, runPath }: NothingSaidProps): ReactNode {
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
        title="A run is at work"
        text="It has said nothing here yet. Its steps, events and payloads are on its own page."
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
        title="This thread keeps no messages"
        text={`Its state has ${some}${keys.length > 6 ? ' and more' : ''}.`}
        action={openState}
      />
    );
  }
  // Why it failed stands above; that nothing was said is not news beside it.
  if (status === 'error') return null;
  return (
    <EmptyState
      title="Nothing said yet"
      text="What is said on this thread will be here. Write a message below, or run an agent with its own input."
      action={
        <Button component={Link} to={`${threadPath(id, 'runs')}?compose=1`}>
          Run an agent
        </Button>
      }
      curl={`curl -s '${url}/threads/${id}/runs?wait=30s' -H 'content-type: application/json' -d '{"input": {"messages": [{"role": "user", "content": "Hello"}]}}'`}
    />
  );
}
