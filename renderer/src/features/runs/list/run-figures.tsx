import type { ReactNode } from 'react';
import type { RunStats } from '../../../api/generated/types.gen.ts';
import { formatCost, formatDuration, formatNumber } from '../../../ui/format.ts';
import { Fact, Facts } from '../../../ui/facts.tsx';

/** The figures of all runs in the chart. */
export function RunFigures({ total }: { total: RunStats['total'] | undefined }): ReactNode {
  const facts: [string, string][] =
    total === undefined
      ? []
      : [
          ['runs', formatNumber(total.runs)],
          ['failed', share(total.errors, total.runs)],
          ...time('p50', total.p50_ms),
          ...time('p95', total.p95_ms),
          ...(total.tokens.total === 0
            ? []
            : [['tokens', formatNumber(total.tokens.total)] as [string, string]]),
          ...(total.cost === undefined
            ? []
            : [['cost', formatCost(total.cost)] as [string, string]]),
        ];
  return (
    <div className="run-figures">
      <Facts isLine>
        {facts.map(([name, value]) => (
          <Fact key={name} name={name}>
            {value}
          </Fact>
        ))}
      </Facts>
    </div>
  );
}

function time(name: string, ms: number | undefined): [string, string][] {
  return ms === undefined ? [] : [[name, formatDuration(ms)]];
}

/** `3 (1.2 %)` */
function share(errors: number, runs: number): string {
  if (errors === 0 || runs === 0) return '0';
  const percent = (errors / runs) * 100;
  return `${formatNumber(errors)} (${percent < 10 ? percent.toFixed(1) : Math.round(percent)} %)`;
}
