import { ServiceError } from '../errors/service-error.ts';
import type { Environment } from './resolve-settings.ts';
import type { SettingKey, SettingValues } from './settings/settings.ts';

/** The destination of traces. */
export interface TelemetryConfig {
  readonly tracesUrl: string;
  /** Absent: not configured. */
  readonly serviceName?: string;
}

interface Telemetry {
  telemetry?: TelemetryConfig;
  warnings: string[];
}

const GRPC_WARNING =
  'Traces are sent over HTTP, not by gRPC: name the HTTP port of the collector, usually 4318.';

/** The destination of traces, if configured; `config_invalid` when our own setting is not a URL. */
export function telemetryConfig(
  values: SettingValues,
  given: ReadonlyMap<SettingKey, string>,
  environment: Environment,
): Telemetry {
  const isOff =
    environment['OTEL_SDK_DISABLED']?.toLowerCase() === 'true' ||
    environment['OTEL_TRACES_EXPORTER'] === 'none';
  const key =
    values['telemetry.otlp_traces_endpoint'] === undefined
      ? 'telemetry.otlp_endpoint'
      : 'telemetry.otlp_traces_endpoint';
  const text = values[key];
  if (isOff || text === undefined) return { warnings: [] };
  const url = httpUrl(text);
  if (url === undefined) return refused(given.get(key) ?? key, text);
  if (key === 'telemetry.otlp_endpoint') {
    url.pathname = `${url.pathname.replace(/\/$/, '')}/v1/traces`;
  }
  const serviceName = values['telemetry.service_name'];
  const protocol =
    environment['OTEL_EXPORTER_OTLP_TRACES_PROTOCOL'] ?? environment['OTEL_EXPORTER_OTLP_PROTOCOL'];
  return {
    telemetry: { tracesUrl: url.href, ...(serviceName !== undefined && { serviceName }) },
    warnings: protocol === 'grpc' ? [GRPC_WARNING] : [],
  };
}

/** A machine-wide variable must not prevent a start. */
function refused(name: string, text: string): Telemetry {
  const sentence = `${name} takes an http or https URL, not "${text}"`;
  if (name.startsWith('OTEL_')) return { warnings: [`${sentence}: nothing is traced.`] };
  throw new ServiceError('config_invalid', `${sentence}.`);
}

function httpUrl(text: string): URL | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  return url?.protocol === 'http:' || url?.protocol === 'https:' ? url : undefined;
}
