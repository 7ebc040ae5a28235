import type { IncomingHttpHeaders } from 'node:http';

/**
 * True when a page of another origin sends this, as far as its browser tells. `Sec-Fetch-Site` decides where it is
 * there: only browsers set it, and they send it to https and to this machine, where no page can be of this origin by a
 * name that was rebound. To other addresses over http they name the origin alone. What has neither is a program.
 */
export function isFromForeignPage(headers: IncomingHttpHeaders): boolean {
  const { origin, host } = headers;
  const site = headers['sec-fetch-site'];
  if (site === 'same-origin') return false;
  // `none` is a person's doing, such as a bookmark; an extension has it too, and an origin of its own.
  if (site !== undefined && site !== 'none') return true;
  return origin !== undefined && !isOriginOf(origin, host);
}

/** Whatever the scheme: what stands before the service may have taken TLS off. */
function isOriginOf(origin: string, host: string | undefined): boolean {
  const page = URL.parse(origin);
  if (page === null || !/^https?:$/.test(page.protocol)) return false;
  // Parsed alike, so that the scheme's own port may be there or not.
  return URL.parse(`${page.protocol}//${host}`)?.host === page.host;
}
