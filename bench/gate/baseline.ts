import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Counts } from "./counts.ts";

const file = join(import.meta.dirname, "..", "baseline.json");

/** What a count may grow over the baseline: the same program repeats within 1 %. */
export const tolerance = 0.02;

export function readBaseline(): Counts {
  return JSON.parse(readFileSync(file, "utf8")) as Counts;
}

export function writeBaseline(counts: Counts): void {
  writeFileSync(file, `${JSON.stringify(counts, null, 2)}\n`);
}

/** What a baseline cannot be compared with: counts of another Node or emulator say nothing about the code. */
export function otherTool(tools: Pick<Counts, "node" | "qemu">, baseline: Counts): string | undefined {
  for (const tool of ["node", "qemu"] as const) {
    if (tools[tool] === baseline[tool]) continue;
    return `the baseline is for ${tool} ${baseline[tool]}, this is ${tools[tool]}: npm run -s bench -- --rebaseline`;
  }
  return undefined;
}

/** Names of the counts that the baseline does not allow. */
export function namesOver(counts: Counts, baseline: Counts): readonly string[] {
  const before = (name: string): number => baseline.instructions[name] ?? Infinity;
  return Object.entries(counts.instructions).flatMap(([name, now]) =>
    now > before(name) * (1 + tolerance) ? [name] : [],
  );
}

/** The lesser of what was counted twice. */
export function leastOf(first: Counts, again: Counts): Counts {
  const entries = Object.entries(first.instructions);
  const least = entries.map(([name, count]) => [name, Math.min(count, again.instructions[name] ?? count)]);
  return { ...first, instructions: Object.fromEntries(least) as Counts["instructions"] };
}

/** What keeps counts from passing: more instructions than the baseline allows, or a baseline of something else. */
export function problemsWith(counts: Counts, baseline: Counts): readonly string[] {
  const other = otherTool(counts, baseline);
  if (other !== undefined) return [other];
  const names = [...new Set([...Object.keys(baseline.instructions), ...Object.keys(counts.instructions)])];
  return names.flatMap((name) => {
    const [now, before] = [counts.instructions[name], baseline.instructions[name]];
    if (now === undefined) return [`${name}: not counted any more`];
    if (before === undefined) return [`${name}: not in the baseline`];
    const growth = now / before - 1;
    const percent = (growth * 100).toFixed(1);
    return now <= before * (1 + tolerance)
      ? []
      : [`${name}: ${now} instructions, ${percent} % over the baseline of ${before}`];
  });
}
