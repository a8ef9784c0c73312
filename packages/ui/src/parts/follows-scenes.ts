import type { Rule } from "../store/wire.ts";

/** Whether scenes turn a rule on and off, so that people cannot (hub-api 2.8). */
export function followsScenes({ scenes }: Pick<Rule, "scenes">): boolean {
  return Object.keys(scenes).length > 0;
}
