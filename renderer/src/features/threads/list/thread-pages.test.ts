import { expect, test } from 'vitest';
import { createQueryClient } from '../../../api/query-client.ts';
import { useListQuery } from '../../../state/list-query.ts';
import { type Asked, fakeService, json } from '../../../test/fake-service.ts';
import { readThreadsAhead, threadPagesQuery } from './thread-pages.ts';

const bodies = (asked: readonly Asked[]): readonly unknown[] => asked.map(({ body }) => body);
const never = new Promise<Response>(() => undefined);

test('the list waits for rows that come soon, and finds them read', async () => {
  const { asked } = fakeService({ 'POST /threads/search': () => json([{ thread_id: 'one' }]) });
  const queryClient = createQueryClient();
  await readThreadsAhead(queryClient, new URLSearchParams('status=busy'), undefined);
  expect(bodies(asked)).toEqual([{ status: 'busy', limit: 100 }]);
  const read = queryClient.getQueryData(threadPagesQuery({ status: 'busy' }).queryKey);
  expect(read?.pages[0]?.threads).toEqual([{ thread_id: 'one' }]);
});

test('neither rows that are late nor a failure keep the page', async () => {
  fakeService({ 'POST /threads/search': () => never });
  await readThreadsAhead(createQueryClient(), new URLSearchParams(), undefined);
  fakeService({ 'POST /threads/search': () => json({}, 400) });
  await readThreadsAhead(createQueryClient(), new URLSearchParams(), undefined);
});

test('the page of a thread does not wait; the list beside it keeps its filter', async () => {
  const { asked } = fakeService({ 'POST /threads/search': () => never });
  useListQuery.setState({ query: 'status=error' });
  const order: string[] = [];
  const page = readThreadsAhead(createQueryClient(), new URLSearchParams(), 'one');
  const moment = new Promise((resolve) => setTimeout(resolve, 0));
  await Promise.all([
    page.then(() => order.push('page')),
    moment.then(() => order.push('a moment later')),
  ]);
  expect(order).toEqual(['page', 'a moment later']);
  expect(bodies(asked)).toEqual([{ status: 'error', limit: 100 }]);
});
