import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Counts } from "./counts.ts";

const file = join(import.meta.dirname, "..", "baseline.json");

/**
 * What a count may grow over the baseline. A kernel repeats within 0.1 %; a request, which the system brings in
 * its own time, within 2 %.
 */
export function tolerance(name: string): number {
  return name.startsWith("request") ? 0.05 : 0.02;
}

export function readBaseline(): Counts {
  return JSON.parse(readFileSync(file, "utf8")) as Counts;
}

export function writeBaseline(counts: Counts): void {
  writeFileSync(file, `${JSON.stringify(counts, null, 2)}\n`);
}

/** What keeps counts from passing: more instructions than the baseline allows, or a baseline of something else. */
export function problemsWith(counts: Counts, baseline: Counts): readonly string[] {
  for (const tool of ["node", "qemu"] as const) {
    if (counts[tool] !== baseline[tool]) {
      return [
        `the baseline is for ${tool} ${baseline[tool]}, this is ${counts[tool]}: npm run -s bench -- --rebaseline`,
      ];
    }
  }
  const names = [...new Set([...Object.keys(baseline.instructions), ...Object.keys(counts.instructions)])];
  return names.flatMap((name) => {
    const [now, before] = [counts.instructions[name], baseline.instructions[name]];
    if (now === undefined) return [`${name}: not counted any more`];
    if (before === undefined) return [`${name}: not in the baseline`];
    const growth = now / before - 1;
    const percent = (growth * 100).toFixed(1);
    return now <= before * (1 + tolerance(name))
      ? []
      : [`${name}: ${now} instructions, ${percent} % over the baseline of ${before}`];
  });
}
