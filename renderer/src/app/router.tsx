/*
 * One page with hash routes, so that the same files work below `app://studio/` and `/studio/`. Data of the
 * service is in TanStack Query, choices of the user in small stores that the browser persists; filters and selections
 * are in the URL.
 *
 * The client is generated from the OpenAPI document; `api/service-fetch.ts` adds the principal and makes one
 * `ApiError` of every failure, and `ui/error-view.tsx` shows what happened, why and what to do.
 *
 * A list of threads reads pages by cursor as the user scrolls. Every two seconds it fetches the top of the list and
 * the visible rows, and merges both into the cached pages (`features/threads/list/merge-pages.ts`): no page is read
 * again, and rows keep their position.
 *
 * The list of all runs does the same with the run history (`features/runs/list/merge-runs.ts`): the newest activity is at
 * its top, so that a page of the newest is all that changes. A trace is streamed until the run has ended
 * (`api/follow-trace.ts`).
 *
 * A run that is started in a window is asked for until it has ended, also while the window is hidden
 * (`api/watched-runs.ts`, `features/runs/notices/`): its end is reported once, unless it is in view (`state/in-view.ts`).
 *
 * Decisions of policies (`api/decision-feed.ts`) are a page of those that the service retains and a stream of new ones:
 * the stream is opened first, so that none is missed between the two, and resumes after the last id. A bounded number
 * is kept, and consecutive equal rows are folded into one (`features/access/fold-decisions.ts`), or the studio's own
 * polls would fill the list.
 *
 * Deletions wait ten seconds in the page before they are sent (`ui/undo.tsx`), as the principal that requested them; a
 * page that is closed sends them at once, and so does one whose service the desktop stops or replaces. A state is edited as JSON; only the keys that differ are sent, after they were shown as a difference.
 */
import type { QueryClient } from '@tanstack/react-query';
import { createHashRouter, type RouteObject } from 'react-router';
import * as access from '../features/access/index.ts';
import * as agents from '../features/agents/index.ts';
import * as bundles from '../features/bundles/index.ts';
import * as checkpoints from '../features/checkpoints/index.ts';
import * as debugging from '../features/debugging/index.ts';
import * as doctor from '../features/doctor/index.ts';
import * as logs from '../features/logs/index.ts';
import * as principals from '../features/principals/index.ts';
import * as runs from '../features/runs/index.ts';
import * as settings from '../features/settings/index.ts';
import * as store from '../features/store/index.ts';
import * as threads from '../features/threads/index.ts';
import * as welcome from '../features/welcome/index.ts';
import type { Command } from '../ui/commands.ts';
import { FirstPage } from './first-page.tsx';
import { PageSkeleton } from '../ui/page-skeleton.tsx';
import { Frame } from './frame.tsx';
import { PageMissing, RouteFailed } from './route-errors.tsx';

/** A feature's public entry. Only this file imports them; pages are loaded with their first visit. */
interface Feature {
  readonly routes?: readonly RouteObject[];
  /** Tabs of a thread's page. */
  readonly threadRoutes?: readonly RouteObject[];
  readonly commands?: readonly Command[];
}

const features: readonly Feature[] = [
  runs,
  checkpoints,
  agents,
  store,
  principals,
  access,
  bundles,
  logs,
  doctor,
  settings,
  debugging,
  welcome,
];

/** Fetches the code of what is on every page and is opened later. */
export async function fetchParts(): Promise<void> {
  // What fails now is fetched again when it is opened.
  await runs.fetchComposer().catch(() => undefined);
}

/** Every page of the studio, behind `#/`: assets stay relative and no server needs to know the paths. */
export function createStudioRouter(queryClient: QueryClient): ReturnType<typeof createHashRouter> {
  const tabs = features.flatMap(({ threadRoutes = [] }) => threadRoutes);
  const commands = [threads, ...features].flatMap(
    ({ commands = [] }: Pick<Feature, 'commands'>) => [...commands],
  );
  return createHashRouter([
    {
      element: (
        <Frame
          commands={commands}
          principalSwitcher={<principals.PrincipalSwitcher />}
          composer={<runs.ComposerHost />}
          notices={<runs.RunNotices />}
        />
      ),
      errorElement: <RouteFailed />,
      children: [
        {
          errorElement: <RouteFailed />,
          // The frame is shown at once, the page in it when its code is loaded.
          hydrateFallbackElement: <PageSkeleton />,
          children: [
            { index: true, element: <FirstPage /> },
            ...threads.threadsRoutes(queryClient, tabs),
            ...runs.runsRoutes(queryClient),
            ...features.flatMap(({ routes = [] }) => routes),
            { path: '*', element: <PageMissing /> },
          ],
        },
      ],
    },
  ]);
}
