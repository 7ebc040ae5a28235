/** The source of the page: built files, or Vite's server while developing. */
export type PageSource = { readonly folder: string } | { readonly devServer: string };

/** A packaged application has its own page alone: one from a variable would get the whole bridge. */
export function pageSource(options: {
  isPackaged: boolean;
  /** Of the environment. */
  devServer: string | undefined;
  folder: string;
}): PageSource {
  const { isPackaged, devServer, folder } = options;
  return isPackaged || devServer === undefined ? { folder } : { devServer };
}
