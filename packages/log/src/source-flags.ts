/** Flags of Node with which a child of a test loads libraries as the test does (scripts/libraries.ts). */
export const sourceFlags: readonly string[] = process.execArgv.filter((flag) =>
  /^--import=.*\blibraries\.ts$/.test(flag),
);
