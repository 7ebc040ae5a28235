import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import type { Permission, PolicyDecision } from '../../api/generated/types.gen.ts';
import { explanationQuery } from '../../api/queries/policy.ts';
import { ErrorView } from '../../ui/error-view.tsx';
import { JsonView } from '../../ui/json/json-view.tsx';
import { PageSkeleton } from '../../ui/page-skeleton.tsx';
import { decidedBy } from './decided.ts';
import { DecisionWords, PhaseList } from './phase-list.tsx';
import { Verdict } from './verdict.tsx';

/** Why a principal may do something or not: the same question, evaluated again with every phase explained. */
export function Explanation({ permission }: { permission: Permission }): ReactNode {
  const { data, error, refetch } = useQuery(explanationQuery(permission.question));
  return (
    <section className="pane" aria-label="Explanation">
      <header className="pane-head">
        <Verdict of={permission.is_allowed ? 'grants' : 'denies'} />
        <h2 className="mono">{permission.operation}</h2>
      </header>
      {error !== null ? (
        <ErrorView
          error={error}
          title="The permission could not be explained"
          onRetry={() => void refetch()}
          compact
        />
      ) : data === undefined ? (
        <PageSkeleton label="Evaluating the policies" />
      ) : (
        <ExplainedDecision decision={data} />
      )}
    </section>
  );
}

function ExplainedDecision({ decision }: { decision: PolicyDecision }): ReactNode {
  const { is_allowed: isGranted, phase, reason, phases, input } = decision;
  return (
    <div className="decision-body stack scroll">
      <p>
        <DecisionWords {...{ isGranted, phase, reason }} />
      </p>
      <PhaseList phases={phases} decisive={decidedBy({ isGranted, phase })} />
      {input !== undefined && (
        <details>
          <summary>Input of the policies</summary>
          <JsonView label="Input of the policies" value={input} maxHeight={360} />
        </details>
      )}
    </div>
  );
}
