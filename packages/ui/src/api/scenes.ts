// Rows about scenes and groups.
import type { Group, MemberOutcome, SceneState, StoredRange } from "@ledge/model";
import { type Answer, call } from "./call.ts";

/** States for devices of one type. */
export interface WantedPreset {
  readonly targetIds: readonly string[];
  readonly state: Readonly<Record<string, unknown>>;
}

/** A scene as `saveScene` takes it; without an id it is a new one. */
export interface WantedScene {
  readonly id: string | null;
  readonly name: string;
  readonly presets: Readonly<Record<string, WantedPreset>>;
  readonly sceneTimes: readonly StoredRange[];
}

export function saveScene(scene: WantedScene): Promise<Answer<readonly SceneState[]>> {
  return call("/scenes", { method: "PUT", body: [{ type: "CMD_SCENE", ...scene }] });
}

export function removeScene(sceneId: string): Promise<Answer<true>> {
  return call("/scenes", { method: "DELETE", query: { sceneId } });
}

/** SCENE_OUTCOME: what became of each device when the scene was turned on last. */
export interface SceneOutcome {
  /** ms since the epoch; null: never. */
  readonly activatedAt: number | null;
  readonly members: Readonly<Record<string, MemberOutcome>>;
}

export function sceneOutcome(sceneId: string, signal: AbortSignal): Promise<Answer<SceneOutcome>> {
  return call("/scenes/outcome", { query: { sceneId }, signal });
}

/** A group as `saveGroup` takes it; without an id it is a new one. */
export interface WantedGroup {
  readonly id: string | null;
  readonly name: string;
  readonly members: readonly string[];
  readonly room: readonly string[];
}

export function saveGroup(group: WantedGroup): Promise<Answer<readonly Pick<Group, "id">[]>> {
  return call("/groups", { method: "PUT", body: [{ type: "CMD_GROUP", ...group }] });
}

export function removeGroup(groupId: string): Promise<Answer<true>> {
  return call("/groups", { method: "DELETE", query: { groupId } });
}
