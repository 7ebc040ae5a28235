import type { ReactNode } from 'react';

/** The product's logo: steps that continue from a checkpoint. */
export function Mark(): ReactNode {
  return (
    <svg width="22" height="22" viewBox="0 0 22 22" fill="none" aria-hidden>
      <path d="M4 16.5 9.2 6.2a2 2 0 0 1 3.6 0L18 16.5" stroke="currentColor" strokeWidth="1.8" />
      <circle cx="11" cy="13.5" r="2.1" fill="currentColor" />
      <circle cx="4" cy="16.5" r="1.7" fill="currentColor" />
      <circle cx="18" cy="16.5" r="1.7" fill="currentColor" />
    </svg>
  );
}
