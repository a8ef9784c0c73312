import type { Reader, RuleState, StoredRange } from "@ledge/model";

const scenePrefix = "scene:";
const timersPrefix = "timers:";

/** Returns the id of the rule that switches a scene by its `sceneTimes`. */
export function sceneScheduleId(scene: string): string {
  return `${scenePrefix}${scene}`;
}

/** Returns the id of the rule that switches a rule by its `timers`. */
export function ruleScheduleId(rule: string): string {
  return `${timersPrefix}${rule}`;
}

/**
 * Returns whether the hub made a rule by itself from time ranges; the origin of what such a rule does is the
 * clock.
 */
export function isScheduled(id: string): boolean {
  return id.startsWith(scenePrefix) || id.startsWith(timersPrefix);
}

/**
 * Returns the name of a rule that the hub made itself: that of the scene or rule that it switches; undefined
 * for any other.
 */
export function ruleTitle(id: string, nameOf: (kind: string, id: string) => string): string | undefined {
  if (id.startsWith(scenePrefix)) return nameOf("scene", id.slice(scenePrefix.length));
  return id.startsWith(timersPrefix) ? nameOf("rule", id.slice(timersPrefix.length)) : undefined;
}

/** Returns a rule of the home, or one that the hub makes from the time ranges of a scene or rule. */
export function ruleOf(id: string, read: Pick<Reader, "get">): RuleState | undefined {
  if (id.startsWith(scenePrefix)) {
    const scene = read.get("scene", id.slice(scenePrefix.length));
    return (
      scene && scheduled(id, scene.name, scene.sceneTimes, { scene: [{ type: "SCENE", value: scene.id }] })
    );
  }
  if (id.startsWith(timersPrefix)) {
    const rule = read.get("rule", id.slice(timersPrefix.length));
    return (
      rule && scheduled(id, rule.config.name, rule.timers, { rule: [{ type: "STRING", value: rule.id }] })
    );
  }
  return read.get("rule", id);
}

/** Returns every rule that the hub makes from time ranges. */
export function allScheduled(read: Pick<Reader, "get" | "all">): readonly RuleState[] {
  const ids = [
    ...[...read.all("scene")].map(([id]) => sceneScheduleId(id)),
    ...[...read.all("rule")].map(([id]) => ruleScheduleId(id)),
  ];
  return ids.flatMap((id) => ruleOf(id, read) ?? []);
}

function scheduled(
  id: string,
  name: string,
  ranges: readonly StoredRange[],
  target: Readonly<Record<string, { type: string; value: string }[]>>,
): RuleState | undefined {
  if (ranges.length === 0) return undefined;
  const extras = { ranges: [...ranges], ...target };
  const config = {
    type: "CONFIG",
    id,
    name,
    configType: "SCENE_SCHEDULER",
    inputs: {},
    outputs: {},
    extras,
  } as const;
  return { id, is_on: true, scenes: [], timers: [], config, createdAt: 0 };
}
