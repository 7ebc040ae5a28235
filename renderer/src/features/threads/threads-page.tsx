import { type ReactNode, Suspense } from 'react';
import { Outlet, useParams } from 'react-router';
import { PageSkeleton } from '../../ui/page-skeleton.tsx';
import { SplitPane } from '../../ui/split-pane.tsx';
import { ThreadList } from './list/thread-list.tsx';

/** The list next to the open thread; in a narrow window it is folded away. */
export function Component(): ReactNode {
  const { threadId } = useParams();
  return (
    <SplitPane
      name="threads"
      className="threads-split"
      label="Width of the list of threads"
      initial={440}
      min={280}
      max={640}
      narrow={threadId === undefined ? 'first' : 'second'}
      narrowBelow={950}
      list="threads"
      first={<ThreadList />}
      second={
        <Suspense fallback={<PageSkeleton />}>
          <Outlet />
        </Suspense>
      }
    />
  );
}
