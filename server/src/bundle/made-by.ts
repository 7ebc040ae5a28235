import { hostname, userInfo } from 'node:os';
import type { Principal } from '../model/principal.ts';
import { MADE_BY_LENGTH, type MadeBy } from './bundle-record.ts';

/** The maker of an export over HTTP. It never names the machine: clients must not learn where the service runs. */
export function madeByPrincipal({ sub, claims }: Principal): MadeBy {
  const { iss } = claims;
  return bounded({ sub, ...(typeof iss === 'string' && { issuer: iss }) });
}

/** The maker of an export on the command line: the user of the operating system and the machine. */
export function madeByUser(): MadeBy {
  return bounded({ ...userName(), host: hostname() });
}

/** Containers may run as a numeric user without a name. */
function userName(): { user?: string } {
  try {
    return { user: userInfo().username };
  } catch {
    return {};
  }
}

/** Longer texts are cut: a long name must not prevent an export. */
function bounded(madeBy: MadeBy): MadeBy {
  const members = Object.entries(madeBy).map(([name, text]) => [
    name,
    // Removes half of a surrogate pair at the end.
    text.slice(0, MADE_BY_LENGTH).replace(/[\uD800-\uDBFF]$/, ''),
  ]);
  return Object.fromEntries(members) as MadeBy; // the same members
}
