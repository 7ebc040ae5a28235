import { useMemo, useRef, type ReactNode } from 'react';
import type { DecisionFeedSnapshot } from '../../api/decision-feed.ts';
import type { AccessRecord } from '../../api/generated/types.gen.ts';
import { useServiceUrl } from '../../api/queries/service-url.ts';
import { useCommands } from '../../ui/commands.ts';
import { EmptyState } from '../../ui/empty-state.tsx';
import { ErrorView } from '../../ui/error-view.tsx';
import { PageSkeleton } from '../../ui/page-skeleton.tsx';
import { SplitPane } from '../../ui/split-pane.tsx';
import { VirtualList } from '../../ui/virtual-list/virtual-list.tsx';
import { type AccessParams, useAccessParams } from './access-params.ts';
import { OpenDecision } from './decision-detail.tsx';
import { DecisionRow, decisionRowHeight } from './decision-row.tsx';
import { DecisionToolbar } from './decision-toolbar.tsx';
import { type DecisionFold, foldDecisions, foldId, isIn } from './fold-decisions.ts';
import { useDecisionFeed } from './use-decision-feed.ts';

/** So many rows before the last one older decisions are read. */
const ahead = 20;
const commands = { group: 'Access', next: 'Next decision', previous: 'Previous decision' };
const none: readonly AccessRecord[] = [];

/** The decisions as they are made, and the one that is open. */
export function DecisionsTab(): ReactNode {
  const [params, go] = useAccessParams();
  const { feed, snapshot } = useDecisionFeed(params);
  const search = useRef<HTMLInputElement>(null);
  const decisions = snapshot?.decisions ?? none;
  const rows = useMemo(() => foldDecisions(decisions), [decisions]);
  // A link to a request shows its decision at once.
  const first = params.request === '' ? undefined : decisions[0]?.id;
  const chosen = params.id === '' ? first : Number(params.id);
  const open = ({ newest }: DecisionFold): void => go({ id: String(newest.id) });
  const current = chosen === undefined ? undefined : rows.find((row) => isIn(row, chosen));
  useCommands([
    {
      id: 'access.pause',
      label: snapshot?.isPaused === true ? 'Resume the decisions' : 'Pause the decisions',
      keys: 'p',
      group: 'Access',
      run: () => (snapshot?.isPaused === true ? feed?.resume() : feed?.pause()),
    },
    {
      id: 'access.filter',
      label: 'Filter the decisions by subject',
      keys: '/',
      group: 'Access',
      run: () => search.current?.focus(),
    },
    {
      id: 'access.denied',
      label: params.decision === 'deny' ? 'Show all decisions' : 'Show denied decisions',
      group: 'Access',
      run: () => go({ decision: params.decision === 'deny' ? '' : 'deny', id: '' }),
    },
  ]);
  return (
    <div className="pane">
      <DecisionToolbar {...{ params, feed, snapshot, search }} onChange={go} />
      <SplitPane
        name="access"
        label="Width of the decision"
        sized="second"
        initial={520}
        min={320}
        max={900}
        narrow={params.id === '' ? 'first' : 'second'}
        back={{ label: 'All decisions', go: () => go({ id: '' }) }}
        first={
          rows.length > 0 ? (
            <VirtualList
              label="Decisions"
              items={rows}
              idOf={foldId}
              rowHeight={decisionRowHeight}
              currentId={current && foldId(current)}
              onMove={open}
              onOpen={open}
              commands={commands}
              onRange={(_, last) => {
                if (last >= rows.length - ahead) feed?.readOlder();
              }}
              renderRow={(row) => <DecisionRow fold={row} onOpen={() => open(row)} />}
            />
          ) : (
            <NoDecisions params={params} snapshot={snapshot} />
          )
        }
        second={
          chosen === undefined ? (
            <EmptyState
              title="No decision is open"
              text="Each is explained phase by phase: which policies were evaluated, and the result of each."
            />
          ) : (
            <OpenDecision
              key={chosen}
              id={chosen}
              listed={decisions.find(({ id }) => id === chosen)}
            />
          )
        }
      />
    </div>
  );
}

function NoDecisions(props: {
  readonly params: AccessParams;
  readonly snapshot: DecisionFeedSnapshot | undefined;
}): ReactNode {
  const { params, snapshot } = props;
  const serviceUrl = useServiceUrl();
  if (snapshot?.error !== undefined)
    return <ErrorView error={snapshot.error} title="The decisions could not be read" compact />;
  if (snapshot === undefined || snapshot.connection === 'connecting')
    return <PageSkeleton label="Reading the decisions" />;
  const { subject, operation, resource, request, decision } = params;
  if ([subject, operation, resource, request, decision].some((part) => part !== ''))
    return (
      <EmptyState
        title="No matching decisions"
        text="They appear as they are made. A subject is compared as a whole, an operation too, unless it ends with an asterisk."
      />
    );
  return (
    <EmptyState
      title="No decisions yet"
      text="Every request to the service is decided by the policies, and appears here."
      curl={`curl ${serviceUrl}/policy/decisions`}
    />
  );
}
