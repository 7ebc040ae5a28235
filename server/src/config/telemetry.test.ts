import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { loadConfig } from './load-config.ts';

let agent: string;
beforeAll(() => {
  agent = mkdtempSync(join(tmpdir(), 'telemetry-'));
});
afterAll(() => rmSync(agent, { recursive: true }));

function load(environment: Record<string, string>) {
  const { config, warnings } = loadConfig({
    sourcePath: agent,
    workingDir: agent,
    flags: new Map([
      ['guest.sandbox', 'none'],
      ['api.listen_addr', '127.0.0.1:0'],
    ]),
    environment,
  });
  return { telemetry: config.telemetry, warnings };
}

it('traces nothing unless a collector is configured', () => {
  expect(load({})).toEqual({ telemetry: undefined, warnings: [] });
});

it.each([
  [{ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://c:4318' }, 'http://c:4318/v1/traces'],
  [{ OTEL_EXPORTER_OTLP_ENDPOINT: 'https://c/otlp/' }, 'https://c/otlp/v1/traces'],
  [{ OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'http://c/take' }, 'http://c/take'],
  [
    { SERVICE_TELEMETRY_OTLP_ENDPOINT: 'http://a', OTEL_EXPORTER_OTLP_ENDPOINT: 'http://b' },
    'http://a/v1/traces',
  ],
])('takes %j for %s', (environment, tracesUrl) => {
  expect(load(environment)).toEqual({ telemetry: { tracesUrl }, warnings: [] });
});

it('leaves traces off where the variables of OpenTelemetry switch them off', () => {
  const endpoint = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://c:4318' };
  expect(load({ ...endpoint, OTEL_SDK_DISABLED: 'true' }).telemetry).toBeUndefined();
  expect(load({ ...endpoint, OTEL_TRACES_EXPORTER: 'none' }).telemetry).toBeUndefined();
});

it('warns of what it cannot do, and refuses to start only for its own URL', () => {
  const grpc = {
    OTEL_EXPORTER_OTLP_ENDPOINT: 'http://c:4317',
    OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc',
  };
  expect(load(grpc).warnings).toEqual([expect.stringContaining('not by gRPC')]);
  expect(load({ OTEL_EXPORTER_OTLP_ENDPOINT: 'collector:4317' })).toEqual({
    telemetry: undefined,
    warnings: [expect.stringContaining('OTEL_EXPORTER_OTLP_ENDPOINT takes an http or https URL')],
  });
  expect(() => load({ SERVICE_TELEMETRY_OTLP_ENDPOINT: 'collector' })).toThrow(
    'SERVICE_TELEMETRY_OTLP_ENDPOINT takes an http or https URL, not "collector".',
  );
});
