import { describe, expect, it } from 'vitest';
import { specService } from '../fixtures/spec-service.ts';

const service = specService();

/** Spec: Authentication, 3. The suite's service has API authentication off, as it is by default. */
describe('while authentication is off', () => {
  it.each<[string, Record<string, string>]>([
    ['no credentials', {}],
    ['a token without a valid signature', { authorization: 'Bearer a.b.c' }],
    ['another scheme', { authorization: 'Basic YTpi' }],
    ['a principal for test mode', { 'x-test-principal': 'no JSON' }],
  ])('every request is anonymous: %s', async (_, headers) => {
    expect((await service.get('/agents', headers)).status).toBe(200);
  });

  it.each(['/health', '/ready', '/live', '/info', '/openapi.json'])(
    '%s asks no caller for an identity',
    async (path) => {
      const response = await service.get(path, { authorization: 'Bearer a.b.c' });
      expect(response.status).toBe(200);
      expect(response.headers.get('www-authenticate')).toBeNull();
    },
  );
});

describe('pages of other origins', () => {
  const origin = 'https://page.example';

  it('are given no leave to read', async () => {
    const response = await service.get('/agents', { origin });
    expect(response.headers.get('access-control-allow-origin')).toBeNull();
  });

  it('change nothing', async () => {
    for (const headers of [{ origin }, { 'sec-fetch-site': 'same-site' }]) {
      const response = await service.post('/threads', undefined, headers);
      expect([response.status, response.body]).toMatchObject([403, { code: 'origin_not_allowed' }]);
    }
  });
});
