import { Tabs } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { ApiError } from '../../api/errors.ts';
import type { Policies } from '../../api/generated/types.gen.ts';
import { policyQuery } from '../../api/queries/policy.ts';
import { ErrorView } from '../../ui/error-view.tsx';
import { PageSkeleton } from '../../ui/page-skeleton.tsx';
import './access.css';
import { useAccessParams } from './access-params.ts';
import { DecisionsTab } from './decisions-tab.tsx';
import { NoPolicies } from './no-policies.tsx';
import { PermissionsTab } from './permissions-tab.tsx';
import { PolicyFindings, PolicySummary } from './policy-summary.tsx';

/** How often the policies are checked for a reload. */
const refetchMs = 5_000;

/** What the policies decide, and why. */
export function Component(): ReactNode {
  const { data, error, refetch } = useQuery({ ...policyQuery, refetchInterval: refetchMs });
  if (error instanceof ApiError && error.code === 'policies_disabled') return <NoPolicies />;
  if (error !== null && data === undefined)
    return (
      <ErrorView
        error={error}
        title="The policies could not be read"
        onRetry={() => void refetch()}
      />
    );
  if (data === undefined) return <PageSkeleton label="Reading the policies" />;
  return <Access policies={data} />;
}

function Access({ policies }: { policies: Policies }): ReactNode {
  const { findings = [] } = policies;
  return (
    <div className="pane">
      <header className="pane-head">
        <h1>Access</h1>
        <PolicySummary policies={policies} />
      </header>
      {findings.length > 0 && <PolicyFindings findings={findings} />}
      {policies.is_permissive ? <NoPolicies type={policies.type} /> : <DecidedAccess />}
    </div>
  );
}

/** What the policies decided, and what they would decide. */
function DecidedAccess(): ReactNode {
  const [{ show }, go] = useAccessParams();
  return (
    <Tabs
      className="pane"
      value={show}
      onChange={(value) => go({ show: value === 'permissions' ? value : 'decisions' })}
      keepMounted={false}
    >
      <Tabs.List>
        <Tabs.Tab value="decisions">Decisions</Tabs.Tab>
        <Tabs.Tab value="permissions">Permissions</Tabs.Tab>
      </Tabs.List>
      <Tabs.Panel value="decisions">
        <DecisionsTab />
      </Tabs.Panel>
      <Tabs.Panel value="permissions">
        <PermissionsTab />
      </Tabs.Panel>
    </Tabs>
  );
}
