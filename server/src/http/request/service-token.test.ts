import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { call } from '../../../test/fixtures/call.ts';
import type { HttpService } from '../../../test/fixtures/http-service.ts';
import { startHttpService } from '../../../test/fixtures/http-service.ts';
import { ServiceError } from '../../errors/service-error.ts';

const TOKEN = 'made-for-this-start-alone';

let service: HttpService;
let authentications = 0;
beforeAll(async () => {
  service = await startHttpService({
    serviceToken: TOKEN,
    authenticator: {
      authenticate() {
        authentications += 1;
        throw new ServiceError('unauthenticated', 'Valid credentials are needed.');
      },
    },
  });
});
afterAll(() => service.close());

async function messageWith(headers: Record<string, string>, path = '/agents') {
  const response = await fetch(`${service.url}${path}`, { headers });
  const body = (await response.json()) as { code?: string; message?: string };
  return [response.status, body.code, body.message];
}

describe("an embedder's X-Service-Token", () => {
  it.each([{}, { 'X-Service-Token': 'wrong' }, { 'X-Service-Token': `${TOKEN} ` + 'x' }])(
    'is wanted before authentication: %o is refused',
    async (headers) => {
      authentications = 0;
      expect(await messageWith(headers)).toEqual([
        401,
        'unauthenticated',
        'The X-Service-Token of this service is missing or wrong.',
      ]);
      expect(authentications).toBe(0);
    },
  );

  it('does not replace the credentials of the caller', async () => {
    const response = await messageWith({ 'X-Service-Token': TOKEN });
    expect(response).toEqual([401, 'unauthenticated', 'Valid credentials are needed.']);
  });

  it('is wanted for docs and unknown routes, and not for probes', async () => {
    const paths = ['/health', '/ready', '/live', '/info', '/openapi.json', '/nowhere'];
    const statuses = paths.map(async (path) => (await call(`${service.url}${path}`)).status);
    expect(await Promise.all(statuses)).toEqual([200, 200, 200, 401, 401, 401]);
  });
});
