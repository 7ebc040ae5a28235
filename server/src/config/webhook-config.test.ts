import { expect, it } from 'vitest';
import { resolveSettings } from './resolve-settings.ts';
import { webhookConfig } from './webhook-config.ts';

function webhooks(flags: Record<string, string>) {
  const named = new Map(Object.entries(flags));
  const { values, given } = resolveSettings({ workingDir: '/', flags: named, environment: {} });
  return webhookConfig(values, given);
}

it('goes to every public host by default, without a signature', () => {
  expect(webhooks({})).toEqual({});
});

it('goes to the hosts of the list, signed', () => {
  expect(webhooks({ 'webhooks.allow': '10.0.0.5:8080, *', 'webhooks.secret': 'key' })).toEqual({
    allow: [
      { host: { kind: 'addresses', first: '10.0.0.5', bits: 32 }, port: 8080 },
      { host: { kind: 'any' } },
    ],
    secret: 'key',
  });
});

it.each([
  ['https://a.example/', 'webhooks.allow: "https://a.example/" is a URL; write its host alone,'],
  [' , ', 'webhooks.allow names no host: name one, or leave it out.'],
])('refuses %j', (allow, sentence) => {
  expect(() => webhooks({ 'webhooks.allow': allow })).toThrow(sentence);
});
