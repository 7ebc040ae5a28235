import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import type { Permission, PermissionsQuestion } from '../../api/generated/types.gen.ts';
import { permissionsQuery } from '../../api/queries/policy.ts';
import { EmptyState } from '../../ui/empty-state.tsx';
import { ErrorView } from '../../ui/error-view.tsx';
import { PageSkeleton } from '../../ui/page-skeleton.tsx';
import { SplitPane } from '../../ui/split-pane.tsx';
import { type AccessParams, useAccessParams } from './access-params.ts';
import { Explanation } from './explanation.tsx';
import { PermissionForm } from './permission-form.tsx';
import { PermissionTable } from './permission-table.tsx';
import { type PrincipalChoice, usePrincipalChoices } from './use-principal-choices.ts';

/** The permissions of a principal on a thread, an agent, or the service; and why. */
export function PermissionsTab(): ReactNode {
  const [params, go] = useAccessParams();
  const choices = usePrincipalChoices();
  const choice = choices.find(({ id }) => id === params.as);
  const question = questionOf(params, choice);
  const { data, error, refetch } = useQuery({
    ...permissionsQuery(question ?? {}),
    enabled: question !== undefined,
    // The table stays while that of another principal is loaded.
    placeholderData: (before) => before,
  });
  const chosen = data?.find((one) => keyOf(one) === params.why);
  return (
    <div className="pane">
      <PermissionForm params={params} onChange={go} choices={choices} choice={choice} />
      {choice === undefined ? (
        <EmptyState
          title="There is no such principal"
          text="It was deleted in this browser, or is in no policy test any more. Choose another one."
        />
      ) : question === undefined ? (
        <EmptyState
          title={params.about === 'thread' ? 'Choose a thread' : 'Choose an agent'}
          text="Every operation on it is then evaluated."
        />
      ) : error !== null ? (
        <ErrorView
          error={error}
          title="The permissions could not be read"
          onRetry={() => void refetch()}
        />
      ) : data === undefined ? (
        <PageSkeleton label="Evaluating the policies" />
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
                text="Each verdict is explained phase by phase."
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

/** The same operation may be evaluated for several resources. */
function keyOf({ operation, resource }: Permission): string {
  return `${operation} ${resource}`;
}

/** Undefined while no thread or agent is chosen. */
function questionOf(
  { about, thread, agent }: AccessParams,
  choice: PrincipalChoice | undefined,
): PermissionsQuestion | undefined {
  if (choice === undefined) return undefined;
  const who = choice.claims === undefined ? {} : { principal: { ...choice.claims } };
  if (about === 'thread') return thread === '' ? undefined : { ...who, thread_id: thread };
  if (about === 'agent') return agent === '' ? undefined : { ...who, agent_id: agent };
  return who;
}
