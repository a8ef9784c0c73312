import {
  CmdScene,
  CmdSceneOff,
  CmdSceneOn,
  type Command,
  Id,
  MemberOutcome,
  outcomesOf,
  Scene,
} from "@ledge/model";
import Type from "typebox";
import { decidedAccess } from "../access.ts";
import { notFound } from "../refused.ts";
import { row } from "../row.ts";
import { submitFor, submitForObjects } from "../submit.ts";

export const scenes = [
  row({
    method: "GET",
    path: "/scenes",
    summary: "Scenes by id, all or one",
    ...decidedAccess["GET /scenes"],
    past: "IDENTIFIED_USER",
    query: Type.Object({ sceneId: Type.Optional(Type.String()) }),
    result: Type.Record(Type.String(), Scene),
    handle({ caller, query: { sceneId }, language, hub: { kernel } }) {
      if (sceneId === undefined) return kernel.dictionary("scene", caller, language);
      if (!kernel.readable("scene", sceneId, caller)) return notFound(`no scene ${sceneId}`);
      return kernel.dictionary("scene", caller, language, [sceneId]);
    },
  }),
  row({
    method: "PUT",
    path: "/scenes",
    summary: "Creates and changes scenes",
    ...decidedAccess["PUT /scenes"],
    body: CmdScene,
    list: true,
    result: Type.Array(Scene),
    handle: (call) => submitForObjects<Type.Static<typeof Scene>>(call, call.body, "scene"),
  }),
  row({
    method: "PUT",
    path: "/scenes/command",
    summary: "Turns scenes on and off, and changes them",
    ...decidedAccess["PUT /scenes/command"],
    body: Type.Union([CmdScene, CmdSceneOn, CmdSceneOff]),
    list: true,
    result: Type.Array(Scene),
    handle: (call) => submitForObjects<Type.Static<typeof Scene>>(call, call.body, "scene"),
  }),
  row({
    method: "DELETE",
    path: "/scenes",
    summary: "Removes a scene",
    access: "IDENTIFIED_USER",
    query: Type.Object({ sceneId: Id }),
    result: Type.Literal(true),
    handle: (call) =>
      submitFor(call, [{ type: "REMOVE_SCENE", id: call.query.sceneId } as Command], true as const),
  }),
];

/** SCENE_OUTCOME: what became of each device when a scene last applied its presets. */
const SceneOutcome = Type.Object({
  type: Type.Literal("SCENE_OUTCOME"),
  sceneId: Id,
  activatedAt: Type.Union([Type.Integer(), Type.Null()]),
  members: Type.Record(Type.String(), MemberOutcome),
});

/** What is added to the spec's rows on scenes. */
export const sceneOutcome = [
  row({
    method: "GET",
    path: "/scenes/outcome",
    summary: "What became of each device when a scene last applied its presets",
    access: "IDENTIFIED_USER",
    past: "IDENTIFIED_USER",
    query: Type.Object({ sceneId: Id }),
    result: SceneOutcome,
    handle({ caller, query: { sceneId }, hub: { kernel } }) {
      if (!kernel.readable("scene", sceneId, caller)) return notFound(`no scene ${sceneId}`);
      const activator = kernel.get("activator", sceneId);
      const members = activator === undefined ? {} : outcomesOf(activator, kernel);
      const activatedAt = activator?.activatedAt ?? null;
      return { type: "SCENE_OUTCOME" as const, sceneId, activatedAt, members };
    },
  }),
];
