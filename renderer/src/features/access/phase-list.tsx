import { useState, type ReactNode } from 'react';
import type { PhaseResult, PolicyOutcome } from '../../api/generated/types.gen.ts';
import { ForeignText } from '../../ui/foreign-text.tsx';
import { formatNumber } from '../../ui/format.ts';
import { decidedBy, formatMicroseconds } from './decided.ts';
import { PolicyName, PolicyLocation } from './policy-name.tsx';
import { Verdict, type VerdictOf } from './verdict.tsx';

/** In the order in which they decide, each with whose policies it evaluates. */
const phaseNames = [
  ['operation', 'Operation', 'the policy of the operation'],
  ['identity', 'Identity', 'the roles of the principal'],
  ['resource', 'Resource', 'the group of the resource'],
  ['scope', 'Scope', 'the scopes of the principal'],
] as const;

/** A principal may have more roles than fit on the screen. */
const manyOutcomes = 20;

interface PhaseListProps {
  readonly phases: readonly PhaseResult[];
  /** The name of the phase that decided, where it was a single one. */
  readonly decisive: string;
}

/** The verdict of each phase, and of each policy in it, in the order in which they decide. */
export function PhaseList({ phases, decisive }: PhaseListProps): ReactNode {
  const decided = phaseNames.findIndex(([phase]) => phase === decisive);
  return (
    <ol className="card divided" aria-label="Phases">
      {phaseNames.map(([phase, name, whose], index) => {
        const result = phases.find((one) => one.phase === phase);
        const isDecisive = index === decided;
        return (
          <li
            key={phase}
            className="phase"
            aria-label={`${name} phase`}
            data-tone={
              isDecisive && result !== undefined
                ? result.is_granted
                  ? 'completed'
                  : 'error'
                : undefined
            }
            data-behind={(decided >= 0 && index > decided) || undefined}
          >
            <header className="row">
              <Verdict of={result === undefined ? 'unevaluated' : verdictOf(result)} />
              <h3>{name}</h3>
              <span className="dim clip grow">{whose}</span>
              {isDecisive && <span className="tag">decided</span>}
            </header>
            {/* The verdicts of policies are shown next to them. */}
            {result?.outcomes.length === 0 && (
              <p className="phase-reason dim">
                <ForeignText text={result.reason} maxLength={400} />
              </p>
            )}
            {result !== undefined && result.outcomes.length > 0 && (
              <Outcomes outcomes={result.outcomes} />
            )}
          </li>
        );
      })}
    </ol>
  );
}

interface DecisionWordsProps {
  readonly isGranted: boolean;
  readonly phase: string;
  readonly reason: string;
}

/** A decision as a sentence. */
export function DecisionWords({ isGranted, phase, reason }: DecisionWordsProps): ReactNode {
  const by = decidedBy({ isGranted, phase });
  return (
    <>
      {phase === 'input'
        ? 'The policies could not be evaluated: '
        : by === phase
          ? `${isGranted ? 'Granted' : 'Denied'} in the ${phase} phase: `
          : ''}
      <ForeignText text={reason} maxLength={600} />
    </>
  );
}

/** A phase that grants because its policy passes has not granted by itself. */
function verdictOf({ is_granted: isGranted, outcomes }: PhaseResult): VerdictOf {
  if (!isGranted) return 'denies';
  return outcomes.some(({ outcome }) => outcome === 'passes') ? 'passes' : 'grants';
}

function Outcomes({ outcomes }: { outcomes: readonly PolicyOutcome[] }): ReactNode {
  const [isWhole, setIsWhole] = useState(false);
  const shown = isWhole ? outcomes : outcomes.slice(0, manyOutcomes);
  return (
    <>
      <ul className="divided">
        {shown.map((outcome, index) => (
          <Outcome key={index} outcome={outcome} isAlone={outcomes.length === 1} />
        ))}
      </ul>
      {shown.length < outcomes.length && (
        <button
          type="button"
          className="link-button outcomes-more"
          onClick={() => setIsWhole(true)}
        >
          Show all {formatNumber(outcomes.length)}
        </button>
      )}
    </>
  );
}

interface OutcomeProps {
  readonly outcome: PolicyOutcome;
  /** The verdict of the phase is its verdict. */
  readonly isAlone: boolean;
}

function Outcome({ outcome: one, isAlone }: OutcomeProps): ReactNode {
  const { outcome, via, reason, policy, microseconds } = one;
  return (
    <li className="outcome">
      {isAlone ? <span /> : <Verdict of={outcome} />}
      <span className="row wrap">
        {policy === undefined ? (
          <span className="dim">no policy</span>
        ) : (
          <PolicyName policy={policy} />
        )}
        {policy !== undefined && <PolicyLocation policy={policy} />}
      </span>
      <span className="dim">{policy === undefined ? '' : formatMicroseconds(microseconds)}</span>
      <span className="outcome-reason mono dim" title={via}>
        <ForeignText text={via} />
      </span>
      <span className="outcome-reason dim">
        <ForeignText text={reason} maxLength={400} />
      </span>
    </li>
  );
}
