import { expect, it } from 'vitest';
import { defaultSettings } from '../ipc/desktop-settings.ts';
import { createConfirmations, type Question } from './confirmations.ts';

function open({ isConfirmed }: { isConfirmed: boolean }) {
  const asked: Question[] = [];
  const confirmations = createConfirmations(async (question) => {
    asked.push(question);
    return isConfirmed;
  });
  return { confirmations, asked };
}
const now = { ...defaultSettings, interpreter: '/usr/bin/python3' };

it('asks for another interpreter and another feed, and for nothing else', async () => {
  const { confirmations, asked } = open({ isConfirmed: true });
  await confirmations.settings({ port: 8123, interpreter: now.interpreter }, now);
  await confirmations.settings({ interpreter: null, updateFeed: null }, now);
  expect(asked).toEqual([]);
  const updateFeed = 'https://updates.example.org';
  await confirmations.settings({ interpreter: '/tmp/python', updateFeed }, now);
  expect(asked.map(({ detail }) => detail.split('\n')[0])).toEqual(['/tmp/python', updateFeed]);
});

it('refuses what was not confirmed', async () => {
  const { confirmations } = open({ isConfirmed: false });
  await expect(confirmations.settings({ interpreter: '/tmp/python' }, now)).rejects.toMatchObject({
    code: 'not_possible',
    message: 'The interpreter was not confirmed.',
  });
  await expect(confirmations.remote('https://example.org/a')).rejects.toMatchObject({
    code: 'not_possible',
    message: 'The connection to https://example.org was not confirmed.',
  });
});

it('asks once for each service', async () => {
  const { confirmations, asked } = open({ isConfirmed: true });
  for (const url of ['https://a.example/x', 'https://a.example', 'http://a.example']) {
    await confirmations.remote(url);
  }
  expect(asked.map(({ detail }) => detail.split('\n')[0])).toEqual([
    'https://a.example',
    'http://a.example',
  ]);
});
