// studio://app/ is the window's origin: the built page, and behind the same origin the service's API.
// So the page needs neither CORS nor a way to any other host, and the policy below can say so.
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { net, protocol } from 'electron';
import type { ServiceHost } from './service-host.ts';

export const studioOrigin = 'studio://app';
const scheme = 'studio';

const contentSecurityPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "font-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** Makes studio:// a secure origin of its own. Electron takes this only before it is ready. */
export function registerStudioScheme(): void {
  const privileges = { standard: true, secure: true, supportFetchAPI: true, stream: true };
  protocol.registerSchemesAsPrivileged([{ scheme, privileges }]);
}

/** Answers studio://app/ from the built page, and what is no file of it from the service. */
export function serveStudio(pageFolder: string, service: ServiceHost): void {
  protocol.handle(scheme, async (request) => {
    const { pathname, search, host } = new URL(request.url);
    if (host !== 'app') return new Response('unknown host', { status: 404 });
    const file = pageFile(pageFolder, pathname);
    if (file === undefined) {
      return net.fetch(new Request(new URL(pathname + search, service.url), request));
    }
    const answer = await net.fetch(pathToFileURL(file).href);
    const headers = new Headers(answer.headers);
    headers.set('Content-Security-Policy', contentSecurityPolicy);
    return new Response(answer.body, { status: answer.status, headers });
  });
}

/** The file of the page that a path names: the page itself or something below assets/. */
function pageFile(pageFolder: string, pathname: string): string | undefined {
  if (pathname === '/' || pathname === '/index.html') return path.join(pageFolder, 'index.html');
  // URL has already resolved dot segments; an encoded slash is no way out either, it is never decoded here.
  return pathname.startsWith('/assets/') ? path.join(pageFolder, pathname) : undefined;
}
