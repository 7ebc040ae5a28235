/** Extension headers of lists: how many there are in all, and the offset of the next page, if there is one. */
export function paginationHeaders(
  asked: { offset: number },
  page: { items: { length: number }; total: number },
): Record<string, string> {
  const next = asked.offset + page.items.length;
  return {
    'X-Pagination-Total': String(page.total),
    ...(page.items.length > 0 && next < page.total ? { 'X-Pagination-Next': String(next) } : {}),
  };
}
