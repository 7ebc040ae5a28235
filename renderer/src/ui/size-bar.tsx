import type { ReactNode } from 'react';

/** How large something is beside the largest of its kind. */
export function SizeBar({ percent }: { readonly percent: number }): ReactNode {
  const style = { backgroundSize: `${Math.max(3, percent)}% 100%` };
  return <span className="size-bar" aria-hidden style={style} />;
}
