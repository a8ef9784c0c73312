import type { Command, Decider } from "./decider.ts";
import { reject } from "./decider.ts";
import type { DomainEvent } from "./event.ts";
import type { States } from "./states.ts";

/**
 * The parts of each object that undo can restore: what people have set. Passing states (a scene that is on)
 * and what devices report are left out.
 */
const settings = {
  room: ["name", "order"],
  zone: ["name"],
  group: ["name", "members", "room"],
  scene: ["name", "presets", "requiredIds", "sceneTimes"],
  rule: ["config", "scenes", "timers"],
  device: ["name", "room", "zones", "visible", "hotWater", "rwx"],
  configuration: ["values"],
  hub: ["name", "housetype", "timezone", "location"],
} as const satisfies { readonly [K in keyof States]?: readonly (keyof States[K])[] };

export type RestorableKind = keyof typeof settings;
export const restorableKinds = Object.keys(settings) as RestorableKind[];

/** What people have set of an object. */
export type Settings = Readonly<Record<string, unknown>>;

/** Returns the settings of an object; null when there is none. */
export function settingsOf(kind: RestorableKind, state: unknown): Settings | null {
  if (state === undefined) return null;
  const fields = state as Settings;
  return Object.fromEntries(settings[kind].map((field) => [field, fields[field]]));
}

/** Creates a removed object again with its old id, like `as` would create it. */
export interface Restore<As extends Command = Command> extends Command {
  readonly id: string;
  readonly as: As;
}

/** The kinds that can be restored, and the command for each. */
const restoring: ReadonlyMap<string, string> = new Map([
  ["room", "RESTORE_ROOM"],
  ["zone", "RESTORE_ZONE"],
  ["group", "RESTORE_GROUP"],
  ["scene", "RESTORE_SCENE"],
  ["rule", "RESTORE_RULE"],
]);

/** Returns the command that restores an object of a kind; undefined when there is none. */
export function restoreCommand(kind: string): string | undefined {
  return restoring.get(kind);
}

/**
 * Returns the aggregate with the command to restore its objects; the aggregate itself for a kind that cannot
 * be restored.
 */
export function restorable<State, C extends Command, E extends DomainEvent>(
  decider: Decider<State, C, E>,
): Decider<State, C | Restore<C>, E> {
  const type = restoring.get(decider.kind);
  if (type === undefined) return decider;
  const isRestore = (command: C | Restore<C>): command is Restore<C> => command.type === type;
  return {
    ...decider,
    commands: [...decider.commands, type],
    target: (command) => (isRestore(command) ? command.id : decider.target(command)),
    decide(command, state, world) {
      if (!isRestore(command)) return decider.decide(command, state, world);
      const { id, as } = command;
      if (state !== undefined) return reject("wrong-state", `${decider.kind} ${id} is there`, "id");
      let isGiven = false;
      const newId = (): string => {
        if (isGiven) return world.newId();
        isGiven = true;
        return id;
      };
      return decider.decide(as, undefined, { ...world, newId });
    },
  };
}
