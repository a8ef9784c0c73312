import type { Reader, Rejection } from "./decider.ts";
import { idsOf, reject } from "./decider.ts";
import type { DomainEvent } from "./event.ts";
import { followScenes } from "./rule.ts";
import type { SceneState } from "./scene-object.ts";

/**
 * Turns a scene on, its presets to be applied again if it is on already. With a factory scene the other one goes
 * off, and with that the scenes that require it. Refused while a scene that it requires is off.
 */
export function turnOn(scene: SceneState, read: Reader): DomainEvent[] | Rejection {
  const unmet = unmetRequirement(scene, read);
  if (unmet !== undefined) return unmet;
  const other = scene.isOn ? undefined : otherFactoryScene(scene, read);
  const off = other?.isOn ? withRequiring(other.id, read) : [];
  return switched(off, scene.id, read);
}

/** Turns a scene off, and those that require it. Of the factory scenes the other one is on then. */
export function turnOff(scene: SceneState, read: Reader): DomainEvent[] | Rejection {
  if (!scene.isOn) return [];
  const other = otherFactoryScene(scene, read);
  return other === undefined ? switched(withRequiring(scene.id, read), undefined, read) : turnOn(other, read);
}

/** Why a scene cannot be on now, if it cannot. */
export function unmetRequirement(
  { requiredIds }: SceneState,
  read: Pick<Reader, "get">,
): Rejection | undefined {
  const off = requiredIds.map((id) => read.get("scene", id)).find((required) => required?.isOn === false);
  return off && reject("wrong-state", `${off.name} has to be on first`, "requiredIds");
}

/** Why a scene may not require what it does: it is unknown, or the scene could never be on. */
export function requirementProblem(scene: SceneState, read: Reader): Rejection | undefined {
  const { id, category, requiredIds } = scene;
  if (category === "FACTORY" && requiredIds.length > 0) {
    return reject("invalid", `${scene.name} requires no other scene: it may have to go on`, "requiredIds");
  }
  const unknown = requiredIds.find(
    (required) => required !== id && read.get("scene", required) === undefined,
  );
  if (unknown !== undefined) return reject("invalid", `no scene ${unknown}`, "requiredIds");
  const all = requiredClosure(scene, read);
  if (all.has(id)) return reject("invalid", "scenes cannot require each other in a circle", "requiredIds");
  const icons = new Set([...all].flatMap((required) => read.get("scene", required)?.icon ?? []));
  return icons.size > 1 ? reject("invalid", "HOME and AWAY are never on together", "requiredIds") : undefined;
}

/** The scenes that can never be on together with one: what goes with HOME does not go with AWAY. */
export function excludedIds(scene: SceneState, read: Reader): string[] {
  const own = factoryIcon(scene, read);
  if (own === undefined) return [];
  return idsOf("scene", read).filter((id) => {
    const icon = factoryIcon(read.get("scene", id) ?? scene, read);
    return icon !== undefined && icon !== own;
  });
}

/**
 * Scenes whose `excludedIds` may be others after an event that changes who excludes whom. What a scene went with
 * before it changed or went is not known any more: then those that go with HOME or AWAY may have excluded it.
 */
export function excludingRenewed({ type, id }: DomainEvent, read: Reader): string[] {
  if (type === "SceneCreated") {
    const created = read.get("scene", id);
    return created === undefined ? [] : excludedIds(created, read);
  }
  return idsOf("scene", read).filter((other) => {
    const state = read.get("scene", other) as SceneState;
    return factoryIcon(state, read) !== undefined || requiredClosure(state, read).has(id);
  });
}

/** Which of the factory scenes has to be on while a scene is. */
function factoryIcon(scene: SceneState, read: Pick<Reader, "get">): string | undefined {
  if (scene.icon !== null) return scene.icon;
  for (const id of requiredClosure(scene, read)) {
    const icon = read.get("scene", id)?.icon ?? null;
    if (icon !== null) return icon;
  }
  return undefined;
}

/** All that a scene requires, and what that requires. */
function requiredClosure({ requiredIds }: SceneState, read: Pick<Reader, "get">): ReadonlySet<string> {
  const all = new Set(requiredIds);
  // A set is walked to its end, what is added meanwhile included.
  for (const id of all) for (const further of read.get("scene", id)?.requiredIds ?? []) all.add(further);
  return all;
}

/** A scene and those that are on and require it. */
function withRequiring(id: string, read: Reader): string[] {
  const all = new Set([id]);
  for (const gone of all) {
    for (const [other, { isOn, requiredIds }] of read.all("scene")) {
      if (isOn && requiredIds.includes(gone)) all.add(other);
    }
  }
  return [...all];
}

function otherFactoryScene({ category, id }: SceneState, read: Pick<Reader, "all">): SceneState | undefined {
  if (category !== "FACTORY") return undefined;
  return [...read.all("scene")].find(([other, state]) => state.category === "FACTORY" && other !== id)?.[1];
}

/** Scenes off, then one on, then the rules that list them. */
function switched(off: readonly string[], on: string | undefined, read: Reader): DomainEvent[] {
  const now = new Map<string, boolean>(off.map((id) => [id, false]));
  const events: DomainEvent[] = off.map((id) => ({ type: "SceneTurnedOff", id }));
  if (on !== undefined) {
    now.set(on, true);
    events.push({ type: "SceneTurnedOn", id: on });
  }
  return [...events, ...followScenes(now, read)];
}
