import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { call } from '../../../test/fixtures/call.ts';
import type { HttpService } from '../../../test/fixtures/http-service.ts';
import { startHttpService } from '../../../test/fixtures/http-service.ts';

describe('without a store', () => {
  let service: HttpService;
  beforeAll(async () => {
    service = await startHttpService();
  });
  afterAll(() => service.close());

  it.each([
    ['POST', '/store/namespaces', {}],
    ['PUT', '/store/items?namespace=a&key=k', { value: 1 }],
    ['GET', '/store/items?namespace=a&key=k', undefined],
    ['DELETE', '/store/items?namespace=a&key=k', undefined],
    ['POST', '/store/items/search', { namespace: ['a'] }],
  ])('%s %s responds with 404 and names the setting', async (method, path, body) => {
    const response = await call(service.url + path, method, body);
    expect([response.status, response.body]).toMatchObject([
      404,
      {
        code: 'store_disabled',
        message: 'The store is switched off; set SERVICE_STORE_PROVIDER to sqlite or postgresql.',
      },
    ]);
  });
});
