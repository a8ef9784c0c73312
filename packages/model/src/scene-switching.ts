import type { Reader, Rejection } from "./decider.ts";
import { idsOf, reject } from "./decider.ts";
import type { DomainEvent } from "./event.ts";
import { followScenes } from "./rule.ts";
import type { SceneState } from "./scene-object.ts";

/**
 * Turns a scene on; if it is on already, its presets are applied again. A factory scene turns the other one
 * off, with the scenes that require that. Refused while a scene that it requires is off.
 */
export function turnOn(scene: SceneState, read: Reader): DomainEvent[] | Rejection {
  const unmet = unmetRequirement(scene, read);
  if (unmet !== undefined) return unmet;
  const other = scene.isOn ? undefined : otherFactoryScene(scene, read);
  const off = other?.isOn ? withRequiring(other.id, read) : [];
  return switched(off, scene.id, read);
}

/** Turns a scene off, and those that require it. For a factory scene the other one goes on instead. */
export function turnOff(scene: SceneState, read: Reader): DomainEvent[] | Rejection {
  if (!scene.isOn) return [];
  const other = otherFactoryScene(scene, read);
  return other === undefined ? switched(withRequiring(scene.id, read), undefined, read) : turnOn(other, read);
}

/** Returns why a scene cannot be on now; undefined when it can. */
export function unmetRequirement(
  { requiredIds }: SceneState,
  read: Pick<Reader, "get">,
): Rejection | undefined {
  const off = requiredIds.map((id) => read.get("scene", id)).find((required) => required?.isOn === false);
  return off && reject("wrong-state", `${off.name} has to be on first`, "requiredIds");
}

/** Returns why a scene's requirements are invalid: one is unknown, or the scene could never be on. */
export function requirementProblem(scene: SceneState, read: Reader): Rejection | undefined {
  const { id, category, requiredIds } = scene;
  if (category === "FACTORY" && requiredIds.length > 0) {
    return reject(
      "invalid",
      `${scene.name} cannot require other scenes, as it may have to go on at any time`,
      "requiredIds",
    );
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

/**
 * Returns the scenes that can never be on together with a scene: those that need HOME exclude those that need
 * AWAY.
 */
export function excludedIds(scene: SceneState, read: Reader): string[] {
  const own = factoryIcon(scene, read);
  if (own === undefined) return [];
  return idsOf("scene", read).filter((id) => {
    const icon = factoryIcon(read.get("scene", id) ?? scene, read);
    return icon !== undefined && icon !== own;
  });
}

/**
 * Returns the scenes whose `excludedIds` an event may change. What a scene required before is not known any
 * more, so all that need HOME or AWAY may be affected.
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

/** Returns which factory scene has to be on while a scene is; undefined for none. */
function factoryIcon(scene: SceneState, read: Pick<Reader, "get">): string | undefined {
  if (scene.icon !== null) return scene.icon;
  for (const id of requiredClosure(scene, read)) {
    const icon = read.get("scene", id)?.icon ?? null;
    if (icon !== null) return icon;
  }
  return undefined;
}

/** Returns all scenes that a scene requires, directly or not. */
function requiredClosure({ requiredIds }: SceneState, read: Pick<Reader, "get">): ReadonlySet<string> {
  const all = new Set(requiredIds);
  // Iterating a Set also visits what is added on the way.
  for (const id of all) for (const further of read.get("scene", id)?.requiredIds ?? []) all.add(further);
  return all;
}

/** Returns a scene and those that are on and require it. */
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

/** Turns scenes off, then one on, and then the rules that list them. */
function switched(off: readonly string[], on: string | undefined, read: Reader): DomainEvent[] {
  const now = new Map<string, boolean>(off.map((id) => [id, false]));
  const events: DomainEvent[] = off.map((id) => ({ type: "SceneTurnedOff", id }));
  if (on !== undefined) {
    now.set(on, true);
    events.push({ type: "SceneTurnedOn", id: on });
  }
  return [...events, ...followScenes(now, read)];
}
