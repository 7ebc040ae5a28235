import { expect, test } from 'vitest';
import { createQueryClient } from '../../../api/query-client.ts';
import { useListQuery } from '../../../state/list-query.ts';
import { type FakeRequest, fakeService, json } from '../../../test/fake-service.ts';
import { readThreadsAhead, threadPagesQuery } from './thread-pages.ts';

const bodies = (requests: readonly FakeRequest[]): readonly unknown[] =>
  requests.map(({ body }) => body);
const never = new Promise<Response>(() => undefined);

test('the list waits a short time for its rows, and has them when they are read by then', async () => {
  const { requests } = fakeService({ 'POST /threads/search': () => json([{ thread_id: 'one' }]) });
  const queryClient = createQueryClient();
  await readThreadsAhead(queryClient, new URLSearchParams('status=busy'), undefined);
  expect(bodies(requests)).toEqual([{ order_by: 'last_activity_at', status: 'busy', limit: 100 }]);
  const read = queryClient.getQueryData(
    threadPagesQuery({ order_by: 'last_activity_at', status: 'busy' }).queryKey,
  );
  expect(read?.pages[0]?.threads).toEqual([{ thread_id: 'one' }]);
});

test('neither late rows nor a failure delay the page', async () => {
  for (const handler of [() => never, () => json({}, 400)]) {
    const { requests } = fakeService({ 'POST /threads/search': handler });
    const queryClient = createQueryClient();
    await readThreadsAhead(queryClient, new URLSearchParams(), undefined);
    expect(bodies(requests)).toEqual([{ order_by: 'last_activity_at', limit: 100 }]);
    expect(
      queryClient.getQueryData(threadPagesQuery({ order_by: 'last_activity_at' }).queryKey),
    ).toBeUndefined();
  }
});

test('the page of a thread does not wait; the list next to it keeps its filter', async () => {
  const { requests } = fakeService({ 'POST /threads/search': () => never });
  useListQuery.setState({ query: 'status=error' });
  const order: string[] = [];
  // Other members of the URL's query are no filter.
  const page = readThreadsAhead(createQueryClient(), new URLSearchParams('event=7'), 'one');
  const nextTask = new Promise((resolve) => setTimeout(resolve, 0));
  await Promise.all([
    page.then(() => order.push('page')),
    nextTask.then(() => order.push('next task')),
  ]);
  expect(order).toEqual(['page', 'next task']);
  expect(bodies(requests)).toEqual([{ order_by: 'last_activity_at', status: 'error', limit: 100 }]);
});
