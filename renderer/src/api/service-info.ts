import { apiBase } from './base.ts';

/** The folder of agents, when the service reports it. */
export function folderOf(
  info: Readonly<Record<string, unknown>> | undefined,
): { readonly path: string; readonly name: string } | undefined {
  const path = info?.['folder'];
  if (typeof path !== 'string') return undefined;
  return { path, name: path.split(/[/\\]/).findLast((part) => part !== '') ?? path };
}

/** The address that the service listens on: the reported one, else the page's own origin. */
export function addressOf(info: Readonly<Record<string, unknown>> | undefined): {
  readonly url: string;
  readonly host: string;
  readonly port: string;
} {
  const reported = info?.['address'] ?? info?.['url'];
  const url = new URL(
    typeof reported === 'string' && URL.canParse(reported) ? reported : fallback(),
  );
  return {
    url: url.origin,
    host: url.hostname,
    port: url.port || (url.protocol === 'https:' ? '443' : '80'),
  };
}

/** In the desktop and under Vite the page's origin is not the service's; the default is the best guess. */
function fallback(): string {
  return apiBase === '' ? window.location.origin : 'http://127.0.0.1:8090';
}
