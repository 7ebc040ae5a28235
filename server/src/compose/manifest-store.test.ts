import { expect, it } from 'vitest';
import { openManifestStore } from './manifest-store.ts';
import { type ManifestStore, plainStore } from '../model/store/store-settings.ts';
import { createMetrics } from '../observability/metrics.ts';
import { noTracing } from '../observability/tracing.ts';
import { createPermissiveDomain } from '../policy/built-in-policies.ts';

const index = { embed: './embed.py:f', language: 'python', dims: 3, fields: ['$'] } as const;

it.each<[string, ManifestStore, boolean]>([
  ['an index', { ...plainStore, index }, true],
  ['a time to live', { ttl: { ...plainStore.ttl, defaultMinutes: 5 } }, true],
  ['neither', plainStore, false],
])(
  'warns for a manifest with %s whether it needs the store that is switched off',
  async (_, store, isWarned) => {
    const warnings: unknown[] = [];
    const warn = (warning: object): void => void warnings.push(warning);
    const logger = { info: () => undefined, warn };
    const metrics = createMetrics({ version: '0' });
    const opened = await openManifestStore(
      {},
      { store },
      {
        policy: createPermissiveDomain(),
        embedder: { embed: () => Promise.reject(new Error('nothing is embedded')) },
        tracing: noTracing,
        metrics,
        logger,
      },
    );
    await opened.close();
    metrics.close();
    const sentence = expect.stringMatching(/switched off. Set SERVICE_STORE_PROVIDER/);
    expect(warnings).toEqual(isWarned ? [{ warning: sentence }] : []);
  },
);
