import { Button } from '@mantine/core';
import { IconRefresh } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import type { Finding } from '../../../../electron/src/ipc/contract.ts';
import { valueOf } from '../../api/desktop-reply.ts';
import { healthQuery } from '../../api/queries/health.ts';
import { desktop } from '../../desktop.ts';
import { ErrorView } from '../../ui/error-view.tsx';
import { PageSkeleton } from '../../ui/page-skeleton.tsx';
import './doctor.css';
import { FindingRow } from './finding-row.tsx';
import { healthFindings } from './health-findings.ts';
import { ServiceFacts } from './service-facts.tsx';

/** Checks everything that agents need, and shows what is missing and what to do about it. */
export function Component(): ReactNode {
  const health = useQuery(healthQuery);
  const examination = useQuery({
    queryKey: ['desktop', 'doctor'],
    queryFn: async () => (desktop === undefined ? [] : valueOf(await desktop.doctor.examine())),
    staleTime: 0,
  });
  const findings = [
    ...healthFindings(health.data, health.isError),
    ...(examination.data ?? []),
  ].toSorted((one, other) => severity(other) - severity(one));
  const again = (): void => {
    void health.refetch();
    void examination.refetch();
  };
  return (
    <div className="doctor scroll">
      <header className="pane-head">
        <h1>Doctor</h1>
        <span className="dim">{summary(findings)}</span>
        <Button
          ml="auto"
          leftSection={<IconRefresh size={14} />}
          loading={examination.isFetching}
          onClick={again}
        >
          Examine again
        </Button>
      </header>
      {examination.isError && (
        <ErrorView error={examination.error} title="This machine could not be examined" compact />
      )}
      {health.isPending || examination.isPending ? (
        <PageSkeleton label="Examining" />
      ) : (
        <ul className="doctor-findings card divided">
          {findings.map((finding) => (
            <FindingRow key={finding.id} finding={finding} />
          ))}
        </ul>
      )}
      <ServiceFacts />
    </div>
  );
}

function severity({ state }: Finding): number {
  return { absent: 0, ok: 1, warn: 2, fail: 3 }[state];
}

function summary(findings: readonly Finding[]): string {
  const failing = findings.filter(({ state }) => state === 'fail').length;
  const warnings = findings.filter(({ state }) => state === 'warn').length;
  if (failing + warnings === 0) return findings.length === 0 ? '' : 'All is well';
  return [
    failing > 0 ? `${failing} failing` : '',
    warnings > 0 ? `${warnings} ${warnings === 1 ? 'warning' : 'warnings'}` : '',
  ]
    .filter((part) => part !== '')
    .join(', ');
}
