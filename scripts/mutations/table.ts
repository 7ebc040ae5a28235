// The results of the mutations, as a table of Markdown.
import type { Failure } from '../test-report/report.ts';
import type { Mutation } from './mutation.ts';
import type { Tier } from './runners.ts';

/** What happened to one mutation. */
export interface Outcome {
  readonly mutation: Mutation;
  /** Absent: no test noticed. */
  readonly notice?: Notice;
  readonly seconds: number;
}

export interface Notice {
  readonly suite: string;
  readonly tier: Tier;
  /** Absent: the command failed without a test that did, or did not end in time. */
  readonly failure?: Failure;
  /** What was run without the mutation failed as well: it may have noticed nothing. */
  readonly isDoubtful: boolean;
}

/** The table, a row for each mutation. Rules that are not of the specification are in brackets. */
export function tableOf(outcomes: readonly Outcome[]): string {
  const rows = outcomes.map(({ mutation, notice, seconds }) => [
    mutation.name,
    mutation.breaks,
    mutation.isSpec ? mutation.rule : `(${mutation.rule})`,
    ...(notice === undefined ? ['**nothing**', ''] : [levelOf(notice), testOf(notice)]),
    seconds.toFixed(0),
  ]);
  const head = ['mutation', 'what goes wrong', 'rule', 'noticed by', 'test', 's'];
  const lines = [head, head.map(() => '---'), ...rows].map(
    (cells) => `| ${cells.map(cellOf).join(' | ')} |`,
  );
  return `${lines.join('\n')}\n`;
}

/** How many were noticed, and by which suites. */
export function summaryOf(outcomes: readonly Outcome[]): string {
  const bySuite = new Map<string, number>();
  for (const { notice } of outcomes) {
    const suite = notice?.suite ?? 'nothing';
    bySuite.set(suite, (bySuite.get(suite) ?? 0) + 1);
  }
  const parts = [...bySuite].map(([suite, count]) => `${suite} ${count}`);
  const noticed = outcomes.filter(({ notice }) => notice !== undefined && !notice.isDoubtful);
  return `${noticed.length} of ${outcomes.length} mutations noticed: ${parts.join(', ')}`;
}

function levelOf({ suite, tier, isDoubtful }: Notice): string {
  return `${suite}${tier === 'rest' ? ' (release)' : ''}${isDoubtful ? ' **doubtful**' : ''}`;
}

function testOf({ failure }: Notice): string {
  if (failure === undefined) return 'did not end, or failed as a whole';
  const text = [failure.file, failure.name].filter((part) => part !== undefined).join(': ');
  return text;
}

function cellOf(text: string): string {
  return text.replaceAll('|', '\\|').replaceAll('\n', ' ');
}
