import { useSearchParams } from 'react-router';

/** What the page shows, kept in the address so that it can be shared and gone back to. */
export interface AccessPlace {
  readonly show: 'decisions' | 'permissions';
  /** Which decisions: empty members leave nothing out. */
  readonly subject: string;
  readonly operation: string;
  /** An MRN, and the id of a request: nobody types them, links bring them. */
  readonly resource: string;
  readonly request: string;
  readonly decision: '' | 'grant' | 'deny';
  /** The decision that is open. */
  readonly id: string;
  /** What permissions are asked about: a certain thread or agent, or with neither the service as a whole. */
  readonly about: '' | 'thread' | 'agent';
  readonly thread: string;
  readonly agent: string;
  /** The name of the principal that is asked about; empty is the one that requests are sent as. */
  readonly as: string;
  /** The operation whose explanation is open. */
  readonly why: string;
}

/** What a filter's keys change; what is opened or chosen can be gone back from, each key of a filter cannot. */
const typed = new Set<string>(['subject', 'operation']);

/** Reads and changes the place. */
export function useAccessPlace(): [AccessPlace, (change: Partial<AccessPlace>) => void] {
  const [query, setQuery] = useSearchParams();
  const place = placeIn(query);
  return [
    place,
    (change) => {
      // At once, as what is typed would be lost in a field that still shows the old text.
      setQuery(queryOf({ ...place, ...change }), {
        replace: Object.keys(change).some((name) => typed.has(name)),
        flushSync: true,
      });
    },
  ];
}

function placeIn(query: URLSearchParams): AccessPlace {
  const one = (name: string): string => query.get(name) ?? '';
  const decision = one('decision');
  const about = one('about');
  return {
    show: one('show') === 'permissions' ? 'permissions' : 'decisions',
    subject: one('subject'),
    operation: one('operation'),
    resource: one('resource'),
    request: one('request'),
    decision: decision === 'grant' || decision === 'deny' ? decision : '',
    id: one('id'),
    about: about === 'thread' || about === 'agent' ? about : '',
    thread: one('thread'),
    agent: one('agent'),
    as: one('as'),
    why: one('why'),
  };
}

/** A place as the query of an address; what is empty is left out. */
export function queryOf(place: Partial<AccessPlace>): URLSearchParams {
  const members = Object.entries(place).filter(
    ([name, value]) => value !== '' && !(name === 'show' && value === 'decisions'),
  );
  return new URLSearchParams(members);
}
