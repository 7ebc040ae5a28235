import { expect, it } from 'vitest';
import type { ThreadId } from '../model/ids.ts';
import { questionsAbout, type AskedAbout } from './asked-permissions.ts';

const thread = { threadId: 't' as ThreadId, owner: 'bob' };

function asked(about: Omit<AskedAbout, 'sub'>): string[] {
  return questionsAbout({ sub: 'ada', ...about }).map(({ operation, resource, given }) => {
    const owner = resource.owner === undefined ? '' : ` of ${resource.owner}`;
    const agent = given ? ` with ${String(given['assistant_id'])}` : '';
    return `${operation} ${resource.mrn}${owner}${agent}`;
  });
}

it('asks about a thread what requests would ask', () => {
  expect(asked({ thread })).toEqual([
    'service:thread:read mrn:service:thread:t of bob',
    'service:thread:update mrn:service:thread:t of bob',
    'service:thread:delete mrn:service:thread:t of bob',
    'service:thread:copy mrn:service:thread:t of bob',
    'service:bundle:export mrn:service:thread:t of bob',
    'service:run:create mrn:service:run:t_* of bob',
    'service:run:list mrn:service:thread:t of bob',
    'service:run:read mrn:service:run:t_* of bob',
    'service:run:stream mrn:service:run:t_* of bob',
    'service:run:logs mrn:service:run:t_* of bob',
    'service:run:cancel mrn:service:run:t_* of bob',
    'service:run:delete mrn:service:run:t_* of bob',
    'service:state:read mrn:service:state:t of bob',
    'service:state:history mrn:service:state:t of bob',
    'service:state:update mrn:service:state:t of bob',
  ]);
});

it('asks about an agent, on its own thread or on an existing one', () => {
  expect(asked({ agentId: 'chat' })).toEqual([
    'service:run:create mrn:service:run:* of ada with chat',
    'service:agent:read mrn:service:agent:chat',
  ]);
  const both = asked({ thread, agentId: 'chat' });
  expect(both).toContain('service:run:create mrn:service:run:t_* of bob with chat');
  expect(both).toHaveLength(asked({ thread }).length + 1);
});

it('asks about nothing in particular whatever is about no certain thing', () => {
  expect(asked({})).toEqual([
    'service:thread:create mrn:service:thread:* of ada',
    'service:thread:search mrn:service:thread:*',
    'service:bundle:import mrn:service:thread:*',
    'service:run:create mrn:service:run:* of ada',
    'service:run:search mrn:service:run:*',
    'service:agent:list mrn:service:agent:*',
    'service:agent:search mrn:service:agent:*',
    'service:assistant:create mrn:service:assistant:* of ada',
    'service:assistant:search mrn:service:assistant:*',
    'service:assistant:read mrn:service:assistant:* of ada',
    'service:assistant:update mrn:service:assistant:* of ada',
    'service:assistant:delete mrn:service:assistant:* of ada',
    'service:cron:create mrn:service:cron:* of ada',
    'service:cron:search mrn:service:cron:*',
    'service:cron:read mrn:service:cron:* of ada',
    'service:cron:update mrn:service:cron:* of ada',
    'service:cron:delete mrn:service:cron:* of ada',
    'service:store:list mrn:service:store:*',
    'service:store:search mrn:service:store:*',
    'service:store:get mrn:service:store:*',
    'service:store:put mrn:service:store:*',
    'service:store:delete mrn:service:store:*',
    'service:app:call mrn:service:app:/',
    'service:policy:read mrn:service:policy:*',
    'service:policy:explain mrn:service:policy:*',
  ]);
});
