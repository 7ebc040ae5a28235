import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import type { Permission, PermissionsQuestion } from '../../api/generated/types.gen.ts';
import { permissionsQuery } from '../../api/queries/policy.ts';
import { EmptyState } from '../../ui/empty-state.tsx';
import { ErrorView } from '../../ui/error-view.tsx';
import { PageSkeleton } from '../../ui/page-skeleton.tsx';
import { SplitPane } from '../../ui/split-pane.tsx';
import { type AccessPlace, useAccessPlace } from './access-place.ts';
import { Explanation } from './explanation.tsx';
import { PermissionForm } from './permission-form.tsx';
import { PermissionTable } from './permission-table.tsx';
import { type Asker, useAskers } from './use-askers.ts';

/** What a principal may do to a thread, with an agent, or at all; and why. */
export function PermissionsTab(): ReactNode {
  const [place, go] = useAccessPlace();
  const askers = useAskers();
  const asker = askers.find(({ id }) => id === place.as);
  const question = questionOf(place, asker);
  const { data, error, refetch } = useQuery({
    ...permissionsQuery(question ?? {}),
    enabled: question !== undefined,
    // The table stays while somebody else is asked about.
    placeholderData: (before) => before,
  });
  const chosen = data?.find((one) => keyOf(one) === place.why);
  return (
    <div className="permissions">
      <PermissionForm place={place} onChange={go} askers={askers} asker={asker} />
      {asker === undefined ? (
        <EmptyState
          title="There is no such principal"
          text="It was deleted in this browser, or is in no policy test any more. Choose another one."
        />
      ) : question === undefined ? (
        <EmptyState
          title={place.about === 'thread' ? 'Choose a thread' : 'Choose an agent'}
          text="Every operation on it is then asked about."
        />
      ) : error !== null ? (
        <ErrorView
          error={error}
          title="The permissions could not be read"
          onRetry={() => void refetch()}
        />
      ) : data === undefined ? (
        <PageSkeleton label="Asking the policies" />
      ) : (
        <SplitPane
          name="access-permissions"
          label="Width of the explanation"
          sized="second"
          initial={480}
          min={320}
          max={900}
          narrow={chosen === undefined ? 'first' : 'second'}
          back={{ label: 'All operations', go: () => go({ why: '' }) }}
          first={
            <PermissionTable
              items={data}
              chosen={chosen}
              onChoose={(one) => go({ why: keyOf(one) })}
            />
          }
          second={
            chosen === undefined ? (
              <EmptyState
                title="No operation is chosen"
                text="Each answer is explained phase by phase."
              />
            ) : (
              <Explanation permission={chosen} />
            )
          }
        />
      )}
    </div>
  );
}

/** The same operation may be asked about several things. */
function keyOf({ operation, resource }: Permission): string {
  return `${operation} ${resource}`;
}

/** Undefined while the thing is not chosen yet. */
function questionOf(
  { about, thread, agent }: AccessPlace,
  asker: Asker | undefined,
): PermissionsQuestion | undefined {
  if (asker === undefined) return undefined;
  const who = asker.claims === undefined ? {} : { principal: { ...asker.claims } };
  if (about === 'thread') return thread === '' ? undefined : { ...who, thread_id: thread };
  if (about === 'agent') return agent === '' ? undefined : { ...who, agent_id: agent };
  return who;
}
