import abbB23 from "../models/abb-b23.json" with { type: "json" };
import em340 from "../models/carlo-gavazzi-em340.json" with { type: "json" };
import sdm120 from "../models/eastron-sdm120.json" with { type: "json" };
import sdm630 from "../models/eastron-sdm630.json" with { type: "json" };
import inputs8 from "../models/generic-input-8.json" with { type: "json" };
import relay4 from "../models/generic-relay-4.json" with { type: "json" };
import relay8 from "../models/generic-relay-8.json" with { type: "json" };
import relayInput8 from "../models/generic-relay-input-8.json" with { type: "json" };
import nibeS from "../models/nibe-s.json" with { type: "json" };
import iem3155 from "../models/schneider-iem3155.json" with { type: "json" };
import save from "../models/systemair-save.json" with { type: "json" };
import type { Model } from "./model-file.ts";
import { readModel } from "./read-model.ts";

const files = [relay4, relay8, inputs8, relayInput8, abbB23, em340, sdm120, sdm630, iem3155, nibeS, save];

/** The models of this release, by id: our own descriptions of what makers publish. */
export const shippedModels: ReadonlyMap<string, Model> = new Map(
  files.map((file) => {
    const model = readModel(file);
    return [model.id, model];
  }),
);
