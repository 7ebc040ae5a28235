// Builds the renderer, and beside it Electron's main process and preload, all into electron/dist.
import path from 'node:path';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';
import electron from 'vite-plugin-electron/simple';

const root = import.meta.dirname;
const dist = (folder: string): string => path.join(root, 'electron/dist', folder);
const source = (file: string): string => path.join(root, 'electron/src', file);
/** Where `npm run dev:server` listens; Vite's own server passes the API on to it. */
const service = 'http://127.0.0.1:8090';
/** The page asks below /api, as in the desktop; the service has its paths at the root. */
const withoutApi = (address: string): string => address.replace(/^\/api/, '');
// The plugin's defaults would start Electron from the root, without its sandbox; a preload built first would too.
let started = false;

export default defineConfig(async ({ mode }) => ({
  root: path.join(root, 'renderer'),
  // Relative, because the same files are served under / by the desktop and under /studio/ by the server.
  base: './',
  build: { outDir: dist('renderer'), emptyOutDir: true, target: 'es2023' },
  server: { host: '127.0.0.1', proxy: { '/api': { target: service, rewrite: withoutApi } } },
  plugins: [
    react(),
    // The page alone: what the service serves under /studio/.
    mode !== 'studio' &&
      (await electron({
        main: {
          entry: source('main/index.ts'),
          onstart: async ({ startup }) => {
            await startup([path.join(root, 'electron')]);
            started = true;
          },
          vite: {
            build: {
              outDir: dist('main'),
              emptyOutDir: true,
              lib: {
                entry: {
                  index: source('main/index.ts'),
                  // A process of its own (service-host.ts); the server package itself stays outside, as files.
                  service: source('service/index.ts'),
                },
                formats: ['es'],
              },
            },
          },
        },
        preload: {
          input: source('preload/index.ts'),
          onstart: ({ reload }) => {
            if (started) reload();
          },
          vite: {
            build: {
              outDir: dist('preload'),
              emptyOutDir: true,
              rolldownOptions: { output: { format: 'cjs', entryFileNames: 'index.cjs' } },
            },
          },
        },
      })),
  ],
}));
