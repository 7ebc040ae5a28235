// With the real evaluator, which is what a start has to wait for.
// @needs policy
import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeEach, expect, it } from 'vitest';
import type { ServiceConfig } from '../config/service-config.ts';
import { createLogger } from '../observability/logger.ts';
import { createMetrics } from '../observability/metrics.ts';
import { openPolicies, type Policies, type PolicyDeps } from './open-policies.ts';
import { PolicyFindings } from '../policy/findings.ts';
import type { PolicyQuestion } from '../policy/port.ts';

const BUILD_MS = 900_000;
const example = fileURLToPath(
  new URL('../../../examples/policies/owner-only.yaml', import.meta.url),
);

let folder: string;
let file: string;
let reported: string[];
let logged: Record<string, unknown>[];
let opened: Policies | undefined;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'open-policies-'));
  file = join(folder, 'owner-only.yaml');
  cpSync(example, file);
  reported = [];
  logged = [];
  return async () => {
    await opened?.close();
    opened = undefined;
    rmSync(folder, { recursive: true });
  };
});

async function open(
  authz: Partial<ServiceConfig['authz']>,
  deps: Partial<PolicyDeps> = {},
): Promise<Policies> {
  const config = { authz: { isEverythingAllowed: false, policyFiles: [], ...authz } };
  const write = (line: string): void => void logged.push(JSON.parse(line));
  opened = await openPolicies(config, {
    logger: createLogger({ level: 'info', format: 'json', sink: { write } }),
    metrics: createMetrics({ version: '0.0.0' }),
    onProgress: (sentence) => void reported.push(sentence),
    isTestMode: false,
    ...deps,
  });
  return opened;
}

const role = 'mrn:example:role:user';
function question(sub: string, owner: string): PolicyQuestion {
  return {
    principal: { sub, mroles: [role], claims: { sub, mroles: [role] } },
    operation: 'service:thread:read',
    resource: { mrn: 'mrn:service:thread:t', owner },
  };
}

it('permits everything without policy files, and reports it', async () => {
  const { port, ports } = await open({});
  expect(port.permitsEverything).toBe(true);
  expect(ports.insight.describe()).toMatchObject({ type: 'embedded', isPermissive: true });
  expect(reported).toEqual([expect.stringMatching(/^Policies: none are given/)]);
});

it('asks no policy where everything is allowed, and warns', async () => {
  const policyFiles = ['/no/such/file'];
  const { port, ports } = await open({ isEverythingAllowed: true, policyFiles });
  expect(port.permitsEverything).toBe(true);
  expect(ports.insight.describe()).toMatchObject({ type: 'allowall', isPermissive: true });
  expect(reported).toEqual([
    expect.stringMatching(/^Warning: authz\.type is allowall: no policy is asked/),
  ]);
});

it(
  'refuses policies with mistakes, all of which it lists',
  async () => {
    const broken = join(folder, 'broken.yaml');
    writeFileSync(broken, 'kind: PolicyDomain\nmetadata: {name: b}\nspec: {colour: red}\n');
    const missing = join(folder, 'missing.yaml');
    const opening = open({ policyFiles: [file, broken, missing] });
    await expect(opening).rejects.toThrow(PolicyFindings);
    await expect(opening).rejects.toThrow(
      /^The policies cannot be used:\n.*broken\.yaml:1:1: .*\n.*broken\.yaml:3:\d+: .*\n.*missing\.yaml:1:1: This file does not exist/,
    );
  },
  BUILD_MS,
);

it('stops a start that is cancelled', async () => {
  const signal = AbortSignal.abort(new Error('given up'));
  await expect(open({ policyFiles: [file] }, { signal })).rejects.toThrow('given up');
});

it(
  'decides by the files, logs and remembers every decision, and explains denials in test mode only',
  async () => {
    const { port, ports } = await open({ policyFiles: [file] });
    expect(reported).toEqual([`Policies: the domain owner-only (${file}).`]);
    expect([port.looksAtOwners, port.rule]).toEqual([true, undefined]);
    expect(await port.isPermitted(question('ada', 'ada'))).toBe(true);
    expect(await port.isPermitted(question('bob', 'ada'))).toBe(false);
    const { items } = ports.insight.recent({}, { limit: 10 });
    expect(items.map(({ subject, isGranted }) => [subject, isGranted])).toEqual([
      ['bob', false],
      ['ada', true],
    ]);
    await opened?.close();
    // Closing writes what waits to be logged.
    expect(logged.map(({ subject, decision }) => [subject, decision])).toEqual([
      ['ada', 'GRANT'],
      ['bob', 'DENY'],
    ]);
    const explaining = await open({ policyFiles: [file] }, { isTestMode: true });
    expect(await explaining.port.rule?.(question('bob', 'ada'))).toMatchObject({
      isPermitted: false,
      why: { phase: 'resource', policy: { domain: 'owner-only', file } },
    });
  },
  BUILD_MS,
);

it(
  'takes a new version over, keeps it when the next is broken, and logs every finding',
  async () => {
    const { port, ports, reload } = await open({ policyFiles: [file] });
    const { insight } = ports;
    expect(insight.describe()).toMatchObject({
      ...{ type: 'embedded', isPermissive: false, findings: [] },
      domains: [{ name: 'owner-only', file, policies: 3 }],
    });
    cpSync(example.replace('owner-only', 'roles'), file);
    await reload();
    expect(await port.isPermitted(question('ada', 'ada'))).toBe(false);
    writeFileSync(file, 'spec: {}\nmore: 1\n');
    await Promise.all([reload(), reload()]);
    expect(await port.isPermitted(question('ada', 'ada'))).toBe(false);
    const viewer: PolicyQuestion = question('ada', 'eve');
    const mroles = ['mrn:example:role:viewer'];
    const principal = { sub: 'ada', mroles, claims: { sub: 'ada', mroles } };
    expect(await port.isPermitted({ ...viewer, principal })).toBe(true);
    expect(logged.map(({ msg }) => msg)).toContain('policies reloaded');
    const refusal = logged.find(({ msg }) => String(msg).startsWith('the changed policies'));
    const findings = logged.filter(({ msg }) => msg === 'policy finding');
    expect(refusal).toMatchObject({ level: 'error' });
    expect(findings.length).toBeGreaterThanOrEqual(Number(refusal?.['findings']));
    expect(findings[0]).toMatchObject({ file, line: expect.any(Number) as number });
    // The active domains are reported, and what is wrong with the files now.
    expect(insight.describe()).toMatchObject({
      domains: [{ name: 'roles' }],
      findings: expect.arrayContaining([expect.objectContaining({ file })]) as unknown[],
    });
  },
  BUILD_MS,
);

it(
  'denies once it is closed',
  async () => {
    const { port, close } = await open({ policyFiles: [file] });
    await close();
    expect(await port.isPermitted(question('ada', 'ada'))).toBe(false);
  },
  BUILD_MS,
);
