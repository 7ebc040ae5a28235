import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import express, { Router } from 'express';

/**
 * Same as the desktop app: no external sources, no inline scripts, no eval; editors and tables set styles themselves.
 */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "font-src 'self'",
  "connect-src 'self'",
  "worker-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

const isCheckout = import.meta.url.endsWith('.ts');

/** The folder of the built page: in the package, or in a checkout where `npm run build` writes it. */
export const studioFolder = fileURLToPath(
  new URL(isCheckout ? '../../../../electron/dist/renderer' : '../../../studio', import.meta.url),
);

const REMEDY = isCheckout
  ? 'It is built by <code>npm start</code>, or by <code>npm run build:studio</code> while the service runs.'
  : 'This package was made without it.';

const MISSING = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <title>The studio is not built</title>
  </head>
  <body>
    <h1>The studio is not built</h1>
    <p>${REMEDY} The API works without it: <a href="../swagger-ui/">API</a>.</p>
  </body>
</html>
`;

/** True when a built page exists. */
export function isStudioBuilt(folder = studioFolder): boolean {
  return existsSync(join(folder, 'index.html'));
}

/**
 * GET /studio/: the built page and its files. They are the same for every client and need no credentials; the page gets
 * its data from the API, like any other client.
 */
export function createStudio(folder: string): Router {
  const router = Router({ caseSensitive: true, strict: true });
  router.get('/studio', (_req, res) => res.redirect(308, 'studio/'));
  router.use('/studio/', (_req, res, next) => {
    res.setHeader('Content-Security-Policy', POLICY);
    res.setHeader('X-Content-Type-Options', 'nosniff');
    res.setHeader('Referrer-Policy', 'no-referrer');
    next();
  });
  // Checked at every request: the page may be built while the service runs.
  router.get('/studio/', (_req, res, next) => {
    if (isStudioBuilt(folder)) next();
    else res.status(404).type('html').send(MISSING);
  });
  // Names under assets/ contain a hash of their content; every other file is revalidated.
  const files = { redirect: false, dotfiles: 'ignore' } as const;
  router.use(
    '/studio/assets/',
    express.static(join(folder, 'assets'), {
      ...files,
      index: false,
      maxAge: '1y',
      immutable: true,
    }),
  );
  router.use(
    '/studio/',
    express.static(folder, {
      ...files,
      index: 'index.html',
      setHeaders: (res) => res.setHeader('Cache-Control', 'no-cache'),
    }),
  );
  return router;
}
