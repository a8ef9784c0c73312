import type { Objects } from "../../store/wire.ts";

/** An object that names a device: the screen that shows it, its id and name. */
export interface Use {
  readonly screen: "rule" | "scene" | "group";
  readonly id: string;
  readonly name: string;
  /** The name of the group by which a rule names the device; null when the rule names the device itself. */
  readonly by: string | null;
}

/** What of a home may name a device. */
export interface Naming {
  readonly rules: readonly Pick<Objects["rules"], "id" | "config">[];
  readonly scenes: readonly Pick<Objects["scenes"], "id" | "name" | "presets">[];
  readonly groups: readonly Pick<Objects["groups"], "id" | "name" | "members">[];
}

/** Returns what names a device: rules, then scenes, then groups, each in the order given. */
export function usesOf(device: string, { rules, scenes, groups }: Naming): readonly Use[] {
  const own = groups.filter(({ members }) => members.includes(device));
  const ofRules = rules.flatMap(({ id, config: { name, inputs, outputs } }): Use[] => {
    const named = new Set([...Object.values(inputs), ...Object.values(outputs)].flat());
    const by = own.find((group) => named.has(group.id))?.name;
    if (named.has(device)) return [{ screen: "rule", id, name, by: null }];
    return by === undefined ? [] : [{ screen: "rule", id, name, by }];
  });
  const ofScenes = scenes
    .filter(({ presets }) => Object.values(presets).some(({ targetIds }) => targetIds.includes(device)))
    .map(({ id, name }): Use => ({ screen: "scene", id, name, by: null }));
  return [
    ...ofRules,
    ...ofScenes,
    ...own.map(({ id, name }): Use => ({ screen: "group", id, name, by: null })),
  ];
}

/** Returns the uses that a removal of the device changes: a rule that names a group keeps the group. */
export function losing(uses: readonly Use[]): readonly Use[] {
  return uses.filter(({ by }) => by === null);
}

/** Rights of a device that let nobody, or the owner alone, configure and remove it. */
const rights = { owner: 0b010_000_000, others: 0b000_010_000 };

/** Returns whether an administrator may remove a device. @param rwx its rights */
export function mayRemove(rwx: number, isOwner: boolean): boolean {
  return (rwx & (isOwner ? rights.owner : rights.others)) !== 0;
}
