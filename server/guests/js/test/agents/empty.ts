/** Nothing is exported. */
export {};
