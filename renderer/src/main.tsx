// Before the others: it orders the layers.
import './app/base.css';
import './app/parts.css';
import './app/tokens.css';
import './app/mantine-styles.ts';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { createQueryClient } from './api/query-client.ts';
import { App } from './app/app.tsx';
import { fetchPages, firstPageShown } from './app/fetch-pages.ts';
import { createStudioRouter, fetchParts } from './app/router.tsx';
import { desktop } from './desktop.ts';

const root = document.getElementById('root');
if (root === null) throw new Error('index.html has no #root');
const queryClient = createQueryClient();
const router = createStudioRouter(queryClient);
createRoot(root).render(
  <StrictMode>
    <App router={router} queryClient={queryClient} />
  </StrictMode>,
);
// The desktop has the pages itself, with or without the service.
if (desktop === undefined)
  void firstPageShown(router)
    .then(() => fetchPages(router.routes))
    .then(fetchParts);
