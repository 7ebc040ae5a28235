import type { Decision, PhaseResult, PolicyOutcome } from './decision.ts';

/** A decision for a terminal: the result, then each phase with its policies and their locations. */
export function explainLines(decision: Decision): string[] {
  const { isAllowed, phase, code, reason, phases, microseconds } = decision;
  return [
    `${isAllowed ? 'ALLOWED' : 'DENIED'} by the ${phase === 'input' ? 'input' : `${phase} phase`}: ${reason} (${code}, ${milliseconds(microseconds)})`,
    ...phases.flatMap(phaseLines),
  ].map(printable);
}

function phaseLines({ phase, isGranted, code, reason, outcomes }: PhaseResult): string[] {
  const given = outcomes.length === 0 ? `: ${reason}` : '';
  const effect = code === 'operation_passed' ? 'continues' : isGranted ? 'grants' : 'denies';
  return [`  ${phase.padEnd(9)}  ${effect}${given} (${code})`, ...outcomes.map(outcomeLine)];
}

function outcomeLine({ via, outcome, policy, code, reason, microseconds }: PolicyOutcome): string {
  const where = policy
    ? `; ${policy.name ?? policy.mrn} of ${policy.domain}, ${policy.file}:${policy.line}`
    : '';
  return `    ${outcome}  ${via}: ${reason} (${code}${where}, ${milliseconds(microseconds)})`;
}

function milliseconds(microseconds: number): string {
  return `${(microseconds / 1_000).toFixed(1)} ms`;
}

/** Names come from claims and requests, so control characters are replaced before they reach a terminal. */
function printable(line: string): string {
  return line.replace(/\p{C}/gu, '\uFFFD');
}
