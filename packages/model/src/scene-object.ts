import Type from "typebox";
import { Preset, type Presets } from "./preset.ts";
import { StoredRange } from "./schedule.ts";
import { Id, Name } from "./schema.ts";

/** SCENE (hub-api 2.7). `excludedIds` are the scenes that cannot be on together with it. */
export const Scene = Type.Object({
  type: Type.Literal("SCENE"),
  id: Id,
  category: Type.Union([Type.Literal("FACTORY"), Type.Literal("USER")]),
  icon: Type.Union([Type.Literal("HOME"), Type.Literal("AWAY"), Type.Null()]),
  name: Name,
  isOn: Type.Boolean(),
  presets: Type.Record(Type.String(), Preset),
  excludedIds: Type.Array(Id),
  requiredIds: Type.Array(Id),
  sceneTimes: Type.Array(StoredRange),
  timestamp: Type.Integer(),
});
/** The state of a scene, without what depends on other scenes. */
export type SceneState = Omit<Type.Static<typeof Scene>, "excludedIds" | "presets"> & {
  readonly presets: Presets;
};

declare module "./states.ts" {
  interface States {
    scene: SceneState;
  }
}
