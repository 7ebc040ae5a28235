import { desktop } from '../desktop.ts';

/**
 * The API's base URL, as the page sees it. The desktop and Vite pass `/api` on to the service;
 * the headless server has the studio under /studio/ and the API at the root of the same origin.
 */
export const apiBase: string =
  desktop === undefined && window.location.pathname.startsWith('/studio/') ? '' : '/api';
