import { queryOptions } from '@tanstack/react-query';
import { getPolicyOptions } from '../generated/@tanstack/react-query.gen.ts';
import { explainDecision, listDecisions, listPermissions } from '../generated/sdk.gen.ts';
import type { AccessRecord, PermissionsQuestion, Porc } from '../generated/types.gen.ts';

/** Which policies are in use; they may be reloaded at any time. Without policies that can be shown it fails. */
export const policyQuery = queryOptions({
  ...getPolicyOptions(),
  staleTime: 4_000,
  retry: false,
});

/** One decision by its id; null when the service no longer retains it. */
export function decisionQuery(id: number) {
  return queryOptions({
    queryKey: ['policy', 'decision', id],
    queryFn: async ({ signal }): Promise<AccessRecord | null> => {
      const query = { before: String(id + 1), limit: 1 };
      const { data } = await listDecisions({ query, signal, throwOnError: true });
      return data.find((one) => one.id === id) ?? null;
    },
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
  });
}

/** What a principal may do. */
export function permissionsQuery(question: PermissionsQuestion) {
  return queryOptions({
    queryKey: ['policy', 'permissions', question],
    queryFn: async ({ signal }) => {
      const { data } = await listPermissions({ body: question, signal, throwOnError: true });
      return data.items;
    },
    retry: false,
  });
}

/** The result of the policies for a question, phase by phase. */
export function explanationQuery(question: Porc) {
  return queryOptions({
    queryKey: ['policy', 'explanation', question],
    queryFn: async ({ signal }) => {
      const { data } = await explainDecision({ body: question, signal, throwOnError: true });
      return data;
    },
    retry: false,
  });
}
