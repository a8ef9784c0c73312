import { appendFigures } from "./append.ts";
import type { Figure } from "./figure.ts";
import { instructionFigures } from "./instructions.ts";
import { pollFigures } from "./poll.ts";

export interface Group {
  readonly name: string;
  readonly measure: () => Promise<readonly Figure[]>;
}

/** What can be measured, in the order of docs/performance.md. */
export const groups: readonly Group[] = [
  { name: "poll", measure: pollFigures },
  { name: "instructions", measure: instructionFigures },
  { name: "append", measure: appendFigures },
];
