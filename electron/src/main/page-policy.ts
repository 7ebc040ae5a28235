/** Where the build puts what the page loads. */
const assets = 'assets/';

/**
 * The policy of the page at this origin. Programs, styles and fonts are those of the build alone: bodies below `/api/`
 * have the same origin, and agents write them.
 */
export function pagePolicy(origin: string): string {
  const own = `${origin}/${assets}`;
  return [
    "default-src 'none'",
    `script-src ${own}`,
    `style-src ${own} 'unsafe-inline'`,
    `img-src ${own} data:`,
    `font-src ${own}`,
    "connect-src 'self'",
    `worker-src ${own}`,
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
}
