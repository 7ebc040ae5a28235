import { expect, it } from 'vitest';
import { webhookHeaders } from './signature.ts';

// The example of the specification of Standard Webhooks.
const signed = {
  webhookId: 'msg_p5jXN8AQM9LWM0D4loKWxJek',
  timestamp: 1_614_265_330,
  body: '{"test": 2432232314}',
};
const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';

it('signs as Standard Webhooks does', () => {
  expect(webhookHeaders(signed, secret)).toEqual({
    'webhook-id': signed.webhookId,
    'webhook-timestamp': '1614265330',
    'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
  });
});

it('takes any other secret as the key', () => {
  const key = Buffer.from('a key').toString('base64');
  expect(webhookHeaders(signed, 'a key')).toEqual(webhookHeaders(signed, `whsec_${key}`));
});

it('signs nothing without a secret', () => {
  expect(webhookHeaders(signed, undefined)).not.toHaveProperty('webhook-signature');
});
