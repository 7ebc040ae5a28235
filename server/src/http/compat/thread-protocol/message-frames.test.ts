import { describe, expect, it } from 'vitest';
import { openMessageFrames } from './message-frames.ts';

const part = (content: unknown, more: object = {}) => ({
  type: 'AIMessageChunk',
  id: 'm',
  content,
  ...more,
});

/** The events in short: their kind, their block, and what is in it. */
const brief = (events: Record<string, unknown>[]) =>
  events.map(({ event, index, content, delta, role }) => [
    ...[event, index, content ?? delta ?? role].filter((one) => one !== undefined),
  ]);

describe('the events of a message', () => {
  it('are its beginning, its text as it comes, and its end with the usage', () => {
    const frames = openMessageFrames();
    const events = [
      ...frames.take(part('Hello'), { model: 'fake' }),
      ...frames.take(
        part(', world', { usage_metadata: { input_tokens: 3, output_tokens: 1 } }),
        {},
      ),
      ...frames.take(
        part('!', {
          chunk_position: 'last',
          usage_metadata: { input_tokens: 0, output_tokens: 2 },
        }),
        {},
      ),
    ];
    expect(brief(events)).toEqual([
      ['message-start', 'ai'],
      ['content-block-start', 0, { type: 'text', text: '' }],
      ['content-block-delta', 0, { type: 'text-delta', text: 'Hello' }],
      ['content-block-delta', 0, { type: 'text-delta', text: ', world' }],
      ['content-block-delta', 0, { type: 'text-delta', text: '!' }],
      ['content-block-finish', 0, { type: 'text', text: 'Hello, world!' }],
      ['message-finish'],
    ]);
    expect(events.every(({ id }) => id === 'm')).toBe(true);
    expect(events[0]).toMatchObject({ metadata: { model: 'fake' } });
    expect(events.at(-1)).toMatchObject({ usage: { input_tokens: 3, output_tokens: 3 } });
    expect(frames.take(part('late'), {})).toEqual([]);
  });

  it('finish a block before the next one: reasoning, text, calls', () => {
    const frames = openMessageFrames();
    const call = (index: number, more: object) =>
      part('', { tool_call_chunks: [{ index, ...more }] });
    const events = [
      ...frames.take(part([{ type: 'reasoning', reasoning: 'Hm', index: 0 }]), {}),
      ...frames.take(part([{ type: 'text', text: 'Let me look.', index: 1 }]), {}),
      ...frames.take(call(2, { id: 'c', name: 'search', args: '{"q":' }), {}),
      ...frames.take(call(2, { id: null, name: null, args: '1}' }), {}),
      ...frames.take(call(3, { id: 'd', name: 'broken', args: '{' }), {}),
      ...frames.end('m'),
    ];
    const finished = events.filter(({ event }) => event === 'content-block-finish');
    expect(finished.map(({ index, content }) => [index, content])).toEqual([
      [0, { type: 'reasoning', reasoning: 'Hm' }],
      [1, { type: 'text', text: 'Let me look.' }],
      [2, { type: 'tool_call', id: 'c', name: 'search', args: { q: 1 } }],
      [
        3,
        { type: 'invalid_tool_call', id: 'd', name: 'broken', args: '{', error: 'Malformed args.' },
      ],
    ]);
    const deltas = events.filter(
      ({ event, index }) => event === 'content-block-delta' && index === 2,
    );
    expect(deltas.at(-1)).toMatchObject({
      delta: { type: 'block-delta', fields: { id: 'c', name: 'search', args: '{"q":1}' } },
    });
    const order = events.map(({ event, index }) =>
      `${event} ${typeof index === 'number' ? index : ''}`.trim(),
    );
    expect(order.indexOf('content-block-finish 0')).toBeLessThan(
      order.indexOf('content-block-start 1'),
    );
  });

  it('are all there at once for a message that comes whole', () => {
    const whole = {
      type: 'ai',
      id: 'm',
      content: ['Yes.', { type: 'image_url', image_url: 'x' }],
      tool_calls: [{ id: 'c', name: 'search', args: { q: 1 }, type: 'tool_call' }],
      additional_kwargs: { reasoning_content: 'Hm' },
    };
    const events = openMessageFrames().take(whole, {});
    const finished = events.filter(({ event }) => event === 'content-block-finish');
    expect(finished.map(({ content }) => content)).toEqual([
      { type: 'reasoning', reasoning: 'Hm' },
      { type: 'text', text: 'Yes.' },
      { type: 'non_standard', value: { type: 'image_url', image_url: 'x' } },
      { type: 'tool_call', id: 'c', name: 'search', args: { q: 1 } },
    ]);
    expect(events.at(-1)).toMatchObject({ event: 'message-finish' });
  });

  it('end for all messages that are open when the run ends', () => {
    const frames = openMessageFrames();
    frames.take(part('a'), {});
    frames.take(part('b', { id: 'n' }), {});
    expect(frames.end().filter(({ event }) => event === 'message-finish')).toHaveLength(2);
    expect(frames.end()).toEqual([]);
  });
});
