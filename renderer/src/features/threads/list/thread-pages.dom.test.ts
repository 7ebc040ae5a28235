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
  for (const answer of [() => never, () => json({}, 400)]) {
    const { asked } = fakeService({ 'POST /threads/search': answer });
    const queryClient = createQueryClient();
    await readThreadsAhead(queryClient, new URLSearchParams(), undefined);
    expect(bodies(asked)).toEqual([{ limit: 100 }]);
    expect(queryClient.getQueryData(threadPagesQuery({}).queryKey)).toBeUndefined();
  }
});

test('the page of a thread does not wait; the list beside it keeps its filter', async () => {
  const { asked } = fakeService({ 'POST /threads/search': () => never });
  useListQuery.setState({ query: 'status=error' });
  const order: string[] = [];
  // What else the address says is no filter.
  const page = readThreadsAhead(createQueryClient(), new URLSearchParams('event=7'), 'one');
  const moment = new Promise((resolve) => setTimeout(resolve, 0));
  await Promise.all([
    page.then(() => order.push('page')),
    moment.then(() => order.push('a moment later')),
  ]);
  expect(order).toEqual(['page', 'a moment later']);
  expect(bodies(asked)).toEqual([{ status: 'error', limit: 100 }]);
});
