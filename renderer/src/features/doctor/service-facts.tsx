import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { valueOf } from '../../api/desktop-reply.ts';
import { infoQuery } from '../../api/queries/health.ts';
import { desktop } from '../../desktop.ts';
import { Fact, Facts } from '../../ui/facts.tsx';

/** Versions and paths, for bug reports. */
export function ServiceFacts(): ReactNode {
  const info = useQuery(infoQuery);
  const about = useQuery({
    queryKey: ['desktop', 'about'],
    queryFn: async () => (desktop === undefined ? {} : valueOf(await desktop.app.about())),
  });
  const facts = [
    ...Object.entries(info.data ?? {}).map(([name, value]) => [`service ${name}`, value] as const),
    ...Object.entries(about.data ?? {}).map(([name, value]) => [`desktop ${name}`, value] as const),
  ].filter(([, value]) => ['string', 'number', 'boolean'].includes(typeof value));
  if (facts.length === 0) return null;
  return (
    <section>
      <h2>Versions and paths</h2>
      <Facts names={200}>
        {facts.map(([name, value]) => (
          <Fact key={name} name={name.replaceAll('_', ' ')}>
            <span className="mono">{String(value)}</span>
          </Fact>
        ))}
      </Facts>
    </section>
  );
}
