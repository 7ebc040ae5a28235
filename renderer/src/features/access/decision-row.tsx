import type { ReactNode } from 'react';
import { revealed } from '../../ui/foreign-text.tsx';
import { formatNumber } from '../../ui/format.ts';
import { FittedId } from '../../ui/short-id.tsx';
import { TimeAgo } from '../../ui/time-ago.tsx';
import type { DecisionFold } from './fold-decisions.ts';
import { Verdict } from './verdict.tsx';

export const decisionRowHeight = 44;

interface DecisionRowProps {
  readonly fold: DecisionFold;
  readonly onOpen: () => void;
}

/** One decision, or several alike: the operation, subject and resource, and the phase that denied. */
export function DecisionRow({ fold, onOpen }: DecisionRowProps): ReactNode {
  const { newest, count } = fold;
  const { operation, resource, subject, phase, timestamp } = newest;
  const isGranted = newest.decision === 'GRANT';
  return (
    <div className="decision-row pane-row" onClick={onOpen}>
      <Verdict of={isGranted ? 'grants' : 'denies'} />
      <span className="mono clip">{revealed(operation)}</span>
      <span className="dim small">
        {count > 1 && (
          <span className="numeric" title={`${formatNumber(count)} times in a row`}>
            ×{formatNumber(count)}{' '}
          </span>
        )}
        <TimeAgo time={timestamp} isShort />
      </span>
      <span className="decision-phase dim small">{isGranted ? '' : phase}</span>
      <span className="decision-context row">
        <span className="clip small">{revealed(subject, 80)}</span>
        <span className="grow dim mono">
          <FittedId id={revealed(resource, 400)} />
        </span>
      </span>
    </div>
  );
}
