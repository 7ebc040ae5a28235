import { expect, it } from 'vitest';
import { pageSource } from './page-source.ts';

const folder = '/app/renderer';
const devServer = 'http://127.0.0.1:5173';

it('is a development server only in an application that is not packaged', () => {
  expect(pageSource({ isPackaged: false, devServer, folder })).toEqual({ devServer });
  expect(pageSource({ isPackaged: false, devServer: undefined, folder })).toEqual({ folder });
  expect(pageSource({ isPackaged: true, devServer, folder })).toEqual({ folder });
});
