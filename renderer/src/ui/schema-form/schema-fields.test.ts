import { describe, expect, test } from 'vitest';
import { schemaFields } from './schema-fields.ts';
import { schemaIssues } from './schema-issues.ts';

const kinds = (properties: Record<string, unknown>, more: Record<string, unknown> = {}) =>
  Object.fromEntries(
    schemaFields({ type: 'object', properties, ...more }).map(({ name, kind }) => [name, kind]),
  );

describe('fields of a schema', () => {
  test('each member has the field of its type', () => {
    expect(
      kinds({
        order: { type: 'string' },
        amount: { type: 'number' },
        count: { type: 'integer' },
        approved: { type: 'boolean' },
        mood: { enum: ['good', 'bad'] },
        tags: { type: 'array', items: { type: 'string' } },
        rows: { type: 'array', items: { type: 'object' } },
        anything: {},
        free: { type: 'object' },
        address: { type: 'object', properties: { city: { type: 'string' } } },
      }),
    ).toEqual({
      order: 'text',
      amount: 'number',
      count: 'integer',
      approved: 'boolean',
      mood: 'choice',
      tags: 'texts',
      rows: 'json',
      anything: 'json',
      free: 'json',
      address: 'object',
    });
  });

  test('messages are recognized despite LangChain’s schema of them', () => {
    const items = { oneOf: [{ $ref: '#/$defs/AIMessage' }, { $ref: '#/$defs/HumanMessage' }] };
    expect(kinds({ messages: { type: 'array', items } })).toEqual({ messages: 'messages' });
    expect(kinds({ messages: {} })).toEqual({ messages: 'messages' });
  });

  test('a nullable member has the field of its other type; references are followed', () => {
    const properties = {
      name: { anyOf: [{ type: 'string' }, { type: 'null' }] },
      size: { type: ['integer', 'null'] },
      location: { $ref: '#/$defs/Location' },
      lost: { $ref: '#/$defs/Lost' },
    };
    const $defs = { Location: { type: 'object', properties: { city: { type: 'string' } } } };
    expect(kinds(properties, { $defs })).toEqual({
      name: 'text',
      size: 'integer',
      location: 'object',
      lost: 'json',
    });
  });

  test('a schema that refers to itself ends', () => {
    const Tree = { type: 'object', properties: { child: { $ref: '#/$defs/Tree' } } };
    expect(schemaFields({ $ref: '#/$defs/Tree', $defs: { Tree } })).toHaveLength(1);
  });
});

describe('issues', () => {
  const schema = {
    type: 'object',
    required: ['order'],
    properties: { order: { type: 'string' }, amount: { type: 'number' } },
  };

  test('are reported with their path', () => {
    expect(schemaIssues(schema, { order: 'A', amount: 'much' }).map(({ path }) => path)).toEqual([
      'amount',
    ]);
    expect(schemaIssues(schema, {})).toHaveLength(1);
    expect(schemaIssues(schema, { order: 'A' })).toEqual([]);
    expect(
      schemaIssues(
        { properties: { n: { type: 'number' }, m: { enum: ['a', 'b'] } } },
        { n: 'x', m: 1 },
      ),
    ).toEqual([
      { path: 'n', message: 'is of type string, expected is number.' },
      { path: 'm', message: 'is none of "a", "b".' },
    ]);
  });

  test('are none for an invalid schema', () => {
    expect(schemaIssues({ type: 'object', $ref: '#/nowhere' }, {})).toEqual([]);
  });
});
