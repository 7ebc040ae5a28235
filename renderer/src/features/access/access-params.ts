import { useSearchParams } from 'react-router';

/** What the page shows, kept in the URL so that it can be shared and is in the history. */
export interface AccessParams {
  readonly show: 'decisions' | 'permissions';
  /** The filter of decisions: empty members do not filter. */
  readonly subject: string;
  readonly operation: string;
  /** An MRN, and the id of a request: set by links, not typed. */
  readonly resource: string;
  readonly request: string;
  readonly decision: '' | 'grant' | 'deny';
  /** The decision that is open. */
  readonly id: string;
  /** The subject of the permissions: a thread or agent, or with neither the service as a whole. */
  readonly about: '' | 'thread' | 'agent';
  readonly thread: string;
  readonly agent: string;
  /** The name of the principal; empty is the one that requests are sent as. */
  readonly as: string;
  /** The operation whose explanation is open. */
  readonly why: string;
}

/** Typed filters; what is opened or chosen is a step in the history, each typed character is not. */
const typed = new Set<string>(['subject', 'operation']);

/** Reads and changes the parameters. */
export function useAccessParams(): [AccessParams, (change: Partial<AccessParams>) => void] {
  const [query, setQuery] = useSearchParams();
  const params = paramsIn(query);
  return [
    params,
    (change) => {
      // Synchronously, or typed text is lost in a field that still shows the old text.
      setQuery(queryOf({ ...params, ...change }), {
        replace: Object.keys(change).some((name) => typed.has(name)),
        flushSync: true,
      });
    },
  ];
}

function paramsIn(query: URLSearchParams): AccessParams {
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

/** The parameters as the query of a URL, without empty ones. */
export function queryOf(params: Partial<AccessParams>): URLSearchParams {
  const members = Object.entries(params).filter(
    ([name, value]) => value !== '' && !(name === 'show' && value === 'decisions'),
  );
  return new URLSearchParams(members);
}
