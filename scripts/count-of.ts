/** A number given to a script as an option; ends the process with 2 when it is none, or is negative. */
export function countOf(name: string, text: string): number {
  const count = Number(text);
  if (Number.isSafeInteger(count) && count >= 0) return count;
  console.error(`--${name} takes a whole number, not ${text}`);
  process.exit(2);
}
