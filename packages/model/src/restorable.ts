import type { Command, Decider } from "./decider.ts";
import { reject } from "./decider.ts";
import type { DomainEvent } from "./event.ts";
import type { States } from "./states.ts";

/**
 * What of an object can be put back as it was: what people set. What passes (a scene that is on) and what devices say
 * is left out.
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

/** The settings of an object; null when there is none. */
export function settingsOf(kind: RestorableKind, state: unknown): Settings | null {
  if (state === undefined) return null;
  const fields = state as Settings;
  return Object.fromEntries(settings[kind].map((field) => [field, fields[field]]));
}

/** Creates an object that was removed, under the id that it had, as `as` would create it. */
export interface Restore<As extends Command = Command> extends Command {
  readonly id: string;
  readonly as: As;
}

/** Kinds that can be brought back, and the command that does so. */
const restoring: ReadonlyMap<string, string> = new Map([
  ["room", "RESTORE_ROOM"],
  ["zone", "RESTORE_ZONE"],
  ["group", "RESTORE_GROUP"],
  ["scene", "RESTORE_SCENE"],
  ["rule", "RESTORE_RULE"],
]);

/** The command that brings back an object of a kind; undefined where nothing can. */
export function restoreCommand(kind: string): string | undefined {
  return restoring.get(kind);
}

/** The aggregate also takes the command that brings an object back; one of a kind that cannot be stays as it is. */
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
