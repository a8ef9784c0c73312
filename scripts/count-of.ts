/** Parses a numeric option of a script. Ends the process with status 2 unless it is a whole number from 0. */
export function countOf(name: string, text: string): number {
  const count = Number(text);
  if (Number.isSafeInteger(count) && count >= 0) return count;
  console.error(`--${name} takes a whole number, not ${text}`);
  process.exit(2);
}
