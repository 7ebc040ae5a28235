import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { routes } from '../server/src/contract/routes.ts';
import { errorTable } from '../server/src/errors/codes.ts';
import { errorCodesOf, openApiDocument } from './openapi-document.ts';

const codes = Object.keys(errorTable);
const document = JSON.parse(JSON.stringify(openApiDocument('1.0.0')));

describe('the error table', () => {
  it('has exactly the codes of the OpenAPI enum', () => {
    const { code } = document.components.schemas.Error.properties;
    expect(code.enum).toEqual(codes);
  });

  it('has exactly the rows of docs/errors.md', () => {
    const page = readFileSync(new URL('../docs/errors.md', import.meta.url), 'utf8');
    const rows = [...page.matchAll(/^\| `(\w+)`\s*\| (\d+)/gm)].map(([, code, status]) => [
      code,
      Number(status),
    ]);
    expect(rows).toEqual(Object.entries(errorTable).map(([code, { status }]) => [code, status]));
  });
});

describe('the OpenAPI document', () => {
  it('has a summary, a description and a unique id for every operation', () => {
    const operations = Object.values(document.paths).flatMap((path) =>
      Object.values(path as object),
    );
    expect(operations).toHaveLength(routes.length);
    for (const operation of operations) {
      expect(operation).toMatchObject({
        summary: expect.stringMatching(/\S/),
        description: expect.stringMatching(/\.$/),
        operationId: expect.stringMatching(/^[a-z]\w+$/),
      });
    }
    expect(new Set(operations.map(({ operationId }) => operationId)).size).toBe(routes.length);
  });

  it('names only error codes that exist', () => {
    for (const route of routes) {
      expect(codes).toEqual(expect.arrayContaining([...route.errors]));
      expect(errorCodesOf(route)).toContain('internal');
    }
  });

  it('declares every placeholder of every path', () => {
    for (const route of routes) {
      const placeholders = [...route.path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
      expect(Object.keys(route.params?.shape ?? {})).toEqual(placeholders);
    }
  });
});
