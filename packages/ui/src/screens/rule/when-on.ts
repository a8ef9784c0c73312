import type { StoredRange } from "@ledge/model";
import type { OnConfig } from "../../api/rules.ts";
import { followsScenes } from "../../parts/follows-scenes.ts";
import type { Rule } from "../../store/wire.ts";

/** What turns a rule on and off: people alone, scenes, or times. */
export const turnedBy = ["hand", "scenes", "times"] as const;
export type TurnedBy = (typeof turnedBy)[number];

/** When a rule is on, as a form holds it. What is not chosen is kept until it is saved. */
export interface OnDraft {
  readonly by: TurnedBy;
  readonly scenes: readonly string[];
  readonly times: readonly StoredRange[];
}

/** Returns when a saved rule is on, as a form shows it. */
export function onDraftOf({ scenes, timers }: Pick<Rule, "scenes" | "timers">): OnDraft {
  const by = followsScenes({ scenes }) ? "scenes" : timers.length > 0 ? "times" : "hand";
  return { by, scenes: Object.keys(scenes), times: timers };
}

/** Returns a list with a scene put in or taken out. */
export function withScene(scenes: readonly string[], id: string, isIn: boolean): readonly string[] {
  const others = scenes.filter((other) => other !== id);
  return isIn ? [...others, id] : others;
}

/** Whether a form lacks the scene or time that it speaks of. */
export function lacks({ by, scenes, times }: OnDraft): boolean {
  return (by === "scenes" && scenes.length === 0) || (by === "times" && times.length === 0);
}

/** Returns what the hub takes for a form. */
export function onConfigOf({ by, scenes, times }: OnDraft): OnConfig {
  return {
    scenes: by === "scenes" ? scenes : [],
    timers: by === "times" ? times.map((time) => (time.type === "TIME_RANGE" ? time : time.cronDef)) : [],
  };
}

/** Returns the hub's errors where a form shows them: at times by their index, or elsewhere. */
export function onFaults(errors: readonly { readonly field: string; readonly message: string }[]): {
  readonly times: ReadonlyMap<number, string>;
  readonly others: readonly string[];
} {
  const [times, others] = [new Map<number, string>(), [] as string[]];
  for (const { field, message } of errors) {
    const [, index] = /^timers\.(\d+)/.exec(field) ?? [];
    if (index === undefined) others.push(message);
    else times.set(Number(index), message);
  }
  return { times, others };
}
