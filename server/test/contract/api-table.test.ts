import { expect, it } from 'vitest';
import { type ApiDocument, apiTable } from '../foreign-documents/api-table.ts';

const document: ApiDocument = {
  paths: {
    '/threads': {
      post: {
        requestBody: { content: { 'application/json': { schema: { $ref: '#/x/ThreadCreate' } } } },
        responses: { 200: { content: { 'application/json': { schema: { $ref: '#/x/Thread' } } } } },
      },
    },
    '/threads/{id}/storage': { get: { responses: {} } },
    '/threads/{id}/stream': { get: { responses: {} } },
  },
  components: {
    schemas: {
      ThreadCreate: { properties: { metadata: {}, ttl: {}, thread_id: {} } },
      Thread: { items: { properties: { thread_id: {}, config: {} } } },
    },
  },
};

it('has what an endpoint took, did not take and did not answer', () => {
  const create = { method: 'POST', path: '/threads', answer: ['thread_id'] };
  const table = apiTable(document, [
    { ...create, members: ['metadata'], status: 200 },
    { ...create, members: ['metadata', 'ttl'], status: 422, answer: ['code'] },
    { method: 'GET', path: '/threads/{id}/storage', members: [], status: 501, answer: [] },
  ]);
  expect(table.split('\n').slice(2)).toEqual([
    '| `POST /threads` | works | `metadata` | `ttl`, `thread_id` | `config` |',
    '| `GET /threads/{id}/storage` | 501 |  |  |  |',
    '| `GET /threads/{id}/stream` | not played |  |  |  |',
    '',
  ]);
});
