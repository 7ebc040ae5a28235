import type { ReactNode } from 'react';
import { desktop } from './desktop.ts';
import { ServiceHealth } from './features/service/service-health.tsx';

/** The studio's only page so far: what this is, and whether the service answers. */
export function App(): ReactNode {
  return (
    <main>
      <h1>Agent Runtime</h1>
      <p>Runs LangGraph agents durably and shows what they do.</p>
      <ServiceHealth />
      {desktop && <footer>Electron {desktop.versions.electron}</footer>}
    </main>
  );
}
