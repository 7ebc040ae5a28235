import { createRequire } from 'node:module';
import { dirname } from 'node:path';
import express, { Router } from 'express';

/** Allows no external sources and no inline scripts; Swagger UI sets styles itself and draws with data URLs. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "frame-ancestors 'none'",
  "base-uri 'none'",
].join('; ');

const PAGE = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <title>Agent Runtime API</title>
    <link rel="stylesheet" href="swagger-ui.css" />
    <link rel="icon" type="image/png" href="favicon-32x32.png" sizes="32x32" />
  </head>
  <body>
    <div id="swagger-ui"></div>
    <script src="swagger-ui-bundle.js"></script>
    <script src="start.js"></script>
  </body>
</html>
`;

// `validatorUrl` null: the document is not sent to an external validator.
const START = `SwaggerUIBundle({
  url: '../openapi.json',
  dom_id: '#swagger-ui',
  deepLinking: true,
  docExpansion: 'list',
  displayRequestDuration: true,
  tryItOutEnabled: true,
  validatorUrl: null,
});
`;

/** The files of the package that the page loads. */
const FILES = new Set(['/swagger-ui.css', '/swagger-ui-bundle.js', '/favicon-32x32.png']);

/**
 * GET /swagger-ui/: the API documentation, with a form to try each route (spec: Health and docs). Loads nothing from
 * other hosts.
 */
export function createSwaggerUi(): Router {
  const { resolve } = createRequire(import.meta.url);
  const folder = dirname(resolve('swagger-ui-dist/package.json'));
  const router = Router({ caseSensitive: true, strict: true });
  router.get('/swagger-ui', (_req, res) => res.redirect(308, 'swagger-ui/'));
  router.use('/swagger-ui/', (_req, res, next) => {
    res.setHeader('Content-Security-Policy', POLICY);
    res.setHeader('X-Content-Type-Options', 'nosniff');
    next();
  });
  router.get('/swagger-ui/', (_req, res) => void res.type('html').send(PAGE));
  router.get('/swagger-ui/start.js', (_req, res) => void res.type('js').send(START));
  const files = express.static(folder, { index: false, redirect: false, maxAge: '1h' });
  router.use('/swagger-ui/', (req, res, next) => {
    if (FILES.has(req.path)) files(req, res, next);
    else next();
  });
  return router;
}
