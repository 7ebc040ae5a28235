import type { RouteContract } from '../server/src/contract/route.ts';
import { routes } from '../server/src/contract/routes.ts';
import { protocolContracts } from '../server/src/http/agent-protocol/protocol-routes.ts';
import { compatContracts } from '../server/src/http/compat/compat-routes.ts';

const BEGIN = '<!-- Made from the routes by `npm run generate`; do not edit: begin -->';
const END = '<!-- Made from the routes: end -->';

/** docs/policy.md with another table of what each route asks; throws where the page has no markers for it. */
export function withPermissionTable(page: string, table: string): string {
  const begin = page.indexOf(BEGIN);
  const end = page.indexOf(END);
  if (begin < 0 || end < begin)
    throw new Error('docs/policy.md has lost the markers of its table.');
  const before = page.slice(0, begin + BEGIN.length);
  return `${before}\n\n${table.trim()}\n\n${page.slice(end)}`;
}

/** What each route asks the policy: one row for each question. */
export function permissionTable(): string {
  const rows = [...routes, ...compatContracts, ...protocolContracts]
    .filter(({ asks }) => asks.length > 0)
    .flatMap(rowsOf);
  return ['| route | operation | resource | when |', '| --- | --- | --- | --- |', ...rows].join(
    '\n',
  );
}

/** The route is named in the first of its rows. */
function rowsOf({ method, path, asks }: RouteContract): string[] {
  return asks.map(({ operation, resource, when }, index) => {
    const route = index === 0 ? `\`${method.toUpperCase()} ${path}\`` : '';
    const named = resource.replaceAll(/\{(\w+)\}/g, '<$1>');
    return `| ${route} | \`${operation}\` | \`${named}\` | ${when ?? 'always'} |`;
  });
}
