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
import { queryOf } from './access-place.ts';
import { decidedBy, formatMicroseconds } from './decided.ts';
import { DecisionWords, PhaseList } from './phase-list.tsx';
import { Verdict } from './verdict.tsx';

/** The decision with this id: out of the list where it has it, otherwise as the service remembers it. */
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
      title="This decision is no longer remembered"
      text="The service keeps the latest decisions in memory; its log has all of them."
    />
  );
}

/** One decision with all that is known of it, explained phase by phase. */
function DecisionDetail({ decision }: { decision: AccessRecord }): ReactNode {
  const { operation, phase, phases, reason, durations } = decision;
  const isGranted = decision.decision === 'GRANT';
  const facts = factsOf(decision);
  return (
    <section className="decision" aria-label="Decision">
      <header className="pane-head">
        <Verdict of={isGranted ? 'grants' : 'denies'} />
        <h2 className="mono">{operation}</h2>
        <span className="pane-head-space" />
        <Button component={Link} to={permissionsLink(decision)}>
          Permissions
        </Button>
      </header>
      <div className="decision-body">
        <p className="decision-why">
          <DecisionWords {...{ isGranted, phase, reason }} />
        </p>
        <dl className="decision-facts">
          {facts.map(([name, value]) => (
            <div key={name}>
              <dt>{name}</dt>
              <dd>{value}</dd>
            </div>
          ))}
          <div>
            <dt>Time</dt>
            <dd>
              <TimeAgo time={decision.timestamp} />
            </dd>
          </div>
          <div>
            <dt>Took</dt>
            <dd>
              {formatMicroseconds(durations.decision)},{' '}
              <span className="dim">policies {formatMicroseconds(durations.policies)}</span>
            </dd>
          </div>
        </dl>
        <PhaseList phases={phases} decisive={decidedBy({ isGranted, phase })} />
      </div>
    </section>
  );
}

function factsOf(decision: AccessRecord): readonly (readonly [string, ReactNode])[] {
  const { subject, realm, resource, owner, request_id: request, caller_run_id: run } = decision;
  const only = (filter: Parameters<typeof queryOf>[0]): string => `?${queryOf(filter).toString()}`;
  return [
    [
      'Subject',
      <Link to={only({ subject })}>
        <ForeignText text={subject} />
      </Link>,
    ],
    ...(realm === undefined ? [] : [['Realm', <ForeignText text={realm} />] as const]),
    [
      'Resource',
      <Link className="mono" to={only({ resource })}>
        <ForeignText text={resource} maxLength={600} />
      </Link>,
    ],
    ...(owner === undefined ? [] : [['Owner', <ForeignText text={owner} />] as const]),
    ...(run === undefined ? [] : [['Run', <ShortId id={run} length={25} />] as const]),
    ...(request === undefined
      ? []
      : ([
          [
            'Request',
            <span className="decision-request">
              <ShortId id={request} length={25} />
              <Link to={only({ request })}>all its decisions</Link>
            </span>,
          ],
        ] as const)),
  ];
}

const ofThread = /^mrn:service:(?:thread|state):([^*_/]+)$/;
const ofAgent = /^mrn:service:agent:([^*]+)$/;

/** What else may be done to the same thing. */
function permissionsLink({ resource }: AccessRecord): string {
  const [, thread = ''] = ofThread.exec(resource) ?? [];
  const [, agent = ''] = ofAgent.exec(resource) ?? [];
  const about = thread === '' ? (agent === '' ? '' : 'agent') : 'thread';
  return `?${queryOf({ show: 'permissions', about, thread, agent }).toString()}`;
}
