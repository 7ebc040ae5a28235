import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Link } from 'react-router';
import type { AccessRecord } from '../../api/generated/types.gen.ts';
import { decisionQuery } from '../../api/queries/policy.ts';
import { EmptyState } from '../../ui/empty-state.tsx';
import { ErrorView } from '../../ui/error-view.tsx';
import { ForeignText } from '../../ui/foreign-text.tsx';
import { PageSkeleton } from '../../ui/page-skeleton.tsx';
import { ShortId } from '../../ui/short-id.tsx';
import { TimeAgo } from '../../ui/time-ago.tsx';
import { queryOf } from './access-params.ts';
import { decidedBy, formatMicroseconds } from './decided.ts';
import { DecisionWords, PhaseList } from './phase-list.tsx';
import { Verdict } from './verdict.tsx';
import { Fact, Facts } from '../../ui/facts.tsx';

/** The decision with this id: from the list, or else from the service. */
export function OpenDecision(props: {
  readonly id: number;
  readonly listed: AccessRecord | undefined;
}): ReactNode {
  const { id, listed } = props;
  const { data, error, refetch } = useQuery({
    ...decisionQuery(id),
    enabled: listed === undefined,
  });
  const decision = listed ?? data;
  if (decision !== undefined && decision !== null) return <DecisionDetail decision={decision} />;
  if (error !== null)
    return (
      <ErrorView
        error={error}
        title="The decision could not be read"
        onRetry={() => void refetch()}
      />
    );
  if (decision === undefined) return <PageSkeleton label="Reading the decision" />;
  return (
    <EmptyState
      title="This decision is no longer retained"
      text="The service keeps the latest decisions in memory; its log has all of them."
    />
  );
}

/** One decision with all its data, explained phase by phase. */
function DecisionDetail({ decision }: { decision: AccessRecord }): ReactNode {
  const { operation, phase, phases, reason } = decision;
  const isGranted = decision.decision === 'GRANT';
  return (
    <section className="pane" aria-label="Decision">
      <header className="pane-head">
        <Verdict of={isGranted ? 'grants' : 'denies'} />
        <h2 className="mono">{operation}</h2>
        <span className="grow" />
        <Button component={Link} to={permissionsLink(decision)}>
          Permissions
        </Button>
      </header>
      <div className="decision-body stack scroll">
        <p>
          <DecisionWords {...{ isGranted, phase, reason }} />
        </p>
        <DecisionFacts decision={decision} />
        <PhaseList phases={phases} decisive={decidedBy({ isGranted, phase })} />
      </div>
    </section>
  );
}

/** The subject, the resource, the time and the duration. A subject, a resource or a request links to all its decisions. */
function DecisionFacts({ decision }: { decision: AccessRecord }): ReactNode {
  const { subject, realm, resource, owner, durations, timestamp } = decision;
  const { request_id: request, caller_run_id: run } = decision;
  return (
    <Facts>
      <Fact name="Subject">
        <Link to={only({ subject })}>
          <ForeignText text={subject} />
        </Link>
      </Fact>
      {realm !== undefined && (
        <Fact name="Realm">
          <ForeignText text={realm} />
        </Fact>
      )}
      <Fact name="Resource">
        <Link className="mono" to={only({ resource })}>
          <ForeignText text={resource} maxLength={600} />
        </Link>
      </Fact>
      {owner !== undefined && (
        <Fact name="Owner">
          <ForeignText text={owner} />
        </Fact>
      )}
      {run !== undefined && (
        <Fact name="Run">
          <ShortId id={run} length={25} />
        </Fact>
      )}
      {request !== undefined && (
        <Fact name="Request">
          <span className="row wrap">
            <ShortId id={request} length={25} />
            <Link to={only({ request })}>all its decisions</Link>
          </span>
        </Fact>
      )}
      <Fact name="Time">
        <TimeAgo time={timestamp} />
      </Fact>
      <Fact name="Took">
        {formatMicroseconds(durations.decision)},{' '}
        <span className="dim">policies {formatMicroseconds(durations.policies)}</span>
      </Fact>
    </Facts>
  );
}

function only(filter: Parameters<typeof queryOf>[0]): string {
  return `?${queryOf(filter).toString()}`;
}

const ofThread = /^mrn:service:(?:thread|state):([^*_/]+)$/;
const ofAgent = /^mrn:service:agent:([^*]+)$/;

/** A link to the permissions for the same thread or agent. */
function permissionsLink({ resource }: AccessRecord): string {
  const [, thread = ''] = ofThread.exec(resource) ?? [];
  const [, agent = ''] = ofAgent.exec(resource) ?? [];
  const about = thread === '' ? (agent === '' ? '' : 'agent') : 'thread';
  return `?${queryOf({ show: 'permissions', about, thread, agent }).toString()}`;
}
