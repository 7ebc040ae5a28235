// app://studio/ is the window's origin: the built page, and below /api/ the service. So the page needs neither CORS
// nor a token nor any other host, and the policy below forbids the rest.
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { net, protocol } from 'electron';
import { forward } from './api-forward.ts';
import type { ApiTarget } from './api-target.ts';
import { pagePolicy } from './page-policy.ts';
import type { PageSource } from './page-source.ts';

const scheme = 'app';
export const studioOrigin = `${scheme}://studio`;

/** True for URLs of the page itself, except the API below it. */
export function isOwnPage(url: string): boolean {
  return url.startsWith(`${studioOrigin}/`) && !url.startsWith(`${studioOrigin}/api/`);
}

/** Makes app:// a secure origin. Electron accepts this only before it is ready. */
export function registerStudioScheme(): void {
  const privileges = { standard: true, secure: true, supportFetchAPI: true, stream: true };
  protocol.registerSchemesAsPrivileged([{ scheme, privileges }]);
}

/** Serves app://studio/ from the page and app://studio/api/ from the current service. */
export function serveStudio(page: PageSource, target: () => ApiTarget): void {
  protocol.handle(scheme, async (request) => {
    const { pathname, search, host } = new URL(request.url);
    if (host !== 'studio') return new Response('unknown host', { status: 404 });
    if (pathname.startsWith('/api/')) {
      return forward(request, pathname.slice('/api'.length) + search, target());
    }
    return 'folder' in page
      ? servePage(page.folder, pathname)
      : net.fetch(new URL(pathname + search, page.devServer).href);
  });
}

async function servePage(folder: string, pathname: string): Promise<Response> {
  // URL has resolved dot segments; encoded ones are resolved here, and must stay inside.
  const file = path.join(folder, pathname === '/' ? 'index.html' : decodeURIComponent(pathname));
  if (!file.startsWith(folder + path.sep)) return new Response('not found', { status: 404 });
  try {
    const response = await net.fetch(pathToFileURL(file).href);
    const headers = new Headers(response.headers);
    headers.set('Content-Security-Policy', pagePolicy(studioOrigin));
    headers.set('X-Content-Type-Options', 'nosniff');
    return new Response(response.body, { status: response.status, headers });
  } catch {
    return new Response('not found', { status: 404 });
  }
}
