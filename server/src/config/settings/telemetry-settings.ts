import { text } from '../notation.ts';
import type { Setting } from './setting.ts';

/** Settings of traces. The variables of OpenTelemetry mean the same; its others (headers, sampler, batches) count too. */
export const telemetrySettings = {
  'telemetry.otlp_endpoint': {
    schema: text().optional(),
    standardVariable: 'OTEL_EXPORTER_OTLP_ENDPOINT',
    description:
      'Switches traces on: the collector that takes them, OTLP over HTTP in JSON, at `/v1/traces` below this URL.',
  },
  'telemetry.otlp_traces_endpoint': {
    schema: text().optional(),
    standardVariable: 'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT',
    description: 'The same with the whole URL.',
  },
  'telemetry.service_name': {
    schema: text().optional(),
    standardVariable: 'OTEL_SERVICE_NAME',
    description: 'Name of this service in traces. Default: `agent-runtime`.',
  },
} satisfies Record<string, Setting>;
