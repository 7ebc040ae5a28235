import { expect, it } from 'vitest';
import { isFromForeignPage } from './cors.ts';

const host = '192.0.2.1:8090';
const origin = `http://${host}`;

it.each([
  ['a program', {}],
  ['a page of the service, over http on another machine', { origin }],
  ['the same behind a proxy that takes TLS off', { origin: `https://${host}` }],
  ['the same, on the port of its scheme', { origin: 'https://a.example', host: 'a.example:443' }],
  ['the same, in another case', { origin: 'http://a.example', host: 'A.Example:80' }],
  ['a page of the service', { origin, 'sec-fetch-site': 'same-origin' }],
  [
    'the same behind a proxy that changes the Host header',
    { origin: 'https://a.example', 'sec-fetch-site': 'same-origin' },
  ],
  ['a form of a page that hides its origin', { 'sec-fetch-site': 'same-origin' }],
  ['a person', { 'sec-fetch-site': 'none' }],
])('%s is no foreign page', (_, headers) => {
  expect(isFromForeignPage({ host, ...headers })).toBe(false);
});

it.each([
  ['a page of another machine, over http', { origin: 'http://192.0.2.7' }],
  ['a page of another site', { origin: 'https://evil.example' }],
  ['a page of another port', { origin: 'http://192.0.2.1:3000' }],
  ['a page of the port of its scheme', { origin: 'http://192.0.2.1' }],
  ['a page on a name that begins with it', { origin: `${origin}.evil.example` }],
  ['a page on a name that ends with it', { origin: 'http://evil-192.0.2.1:8090' }],
  ['a page in a sandbox, or of a file', { origin: 'null' }],
  ['an application with its own scheme', { origin: `app://${host}` }],
  ['an extension', { origin: 'chrome-extension://abc', 'sec-fetch-site': 'none' }],
  ['two origins', { origin: `${origin}, http://evil.example` }],
  ['an origin that is empty', { origin: '' }],
  ['a page of another site, by its browser', { 'sec-fetch-site': 'cross-site' }],
  ['a page of another port, by its browser', { 'sec-fetch-site': 'same-site' }],
  ['the same with an origin', { origin, 'sec-fetch-site': 'same-site' }],
  ['a value that no browser sends', { origin, 'sec-fetch-site': 'self' }],
])('%s is a foreign page', (_, headers) => {
  expect(isFromForeignPage({ host, ...headers })).toBe(true);
});
