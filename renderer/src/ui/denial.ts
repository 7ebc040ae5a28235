import type { ApiError } from '../api/errors.ts';
import { isRecord } from '../api/json-record.ts';
import { revealed } from './foreign-text.tsx';

/** The facts of a denial in test mode: the phase that denies, why, and the policy with its file and line. */
export function denialFacts(
  metadata: Readonly<Record<string, unknown>>,
): [name: string, value: string][] {
  const { phase, reason, policy } = metadata;
  if (typeof phase !== 'string') return [];
  return [
    ['phase', revealed(phase)],
    ...(typeof reason === 'string' ? [['reason', revealed(reason, 400)] as [string, string]] : []),
    ...(isRecord(policy) ? policyFacts(policy) : []),
  ];
}

function policyFacts(policy: Readonly<Record<string, unknown>>): [string, string][] {
  const { mrn, name, domain, file, line } = policy;
  const called = typeof name === 'string' ? name : mrn;
  const within = typeof domain === 'string' ? ` (domain ${domain})` : '';
  return [
    ...(typeof called === 'string'
      ? [['policy', revealed(`${called}${within}`)] as [string, string]]
      : []),
    ...(typeof file === 'string' && typeof line === 'number'
      ? [['file', `${revealed(file, 400)}:${line}`] as [string, string]]
      : []),
  ];
}

/**
 * The page that shows the decisions of the refused request, phase by phase; undefined where the policies do not
 * disclose why they deny. A URL of the page itself, so that it works from anywhere.
 */
export function decisionHref({ metadata, requestId }: ApiError): string | undefined {
  if (typeof metadata['phase'] !== 'string' || requestId === undefined) return undefined;
  const query = new URLSearchParams({ request: requestId, decision: 'deny' });
  return `#/access?${query.toString()}`;
}
