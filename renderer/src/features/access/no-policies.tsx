import type { ReactNode } from 'react';
import type { Policies } from '../../api/generated/types.gen.ts';
import { EmptyState } from '../../ui/empty-state.tsx';

/** Explains policies, and how the service is started with some. */
export function NoPolicies({ type }: { readonly type?: Policies['type'] }): ReactNode {
  if (type === 'allowall')
    return (
      <EmptyState
        title="No policy is evaluated"
        text={
          <>
            The service was started with <code>SERVICE_AUTHZ_TYPE=allowall</code>, for development.
            Start it without, to have its policies decide.
          </>
        }
      />
    );
  return (
    <EmptyState
      title="No policies"
      text={
        <>
          The service was started without policy files. Start it with <code>--policy</code> to have
          each request decided, and see here who may do what.
        </>
      }
      curl="service serve ./agent --policy policies/owner-only.yaml"
    />
  );
}
