import { checkedSetting, refuseDuplicates } from "@ledge/port";
import { mapModel } from "./map-model.ts";
import type { Model, ModelPart } from "./model-file.ts";
import { firstNumber, ModelFile, Part } from "./model-file.ts";
import { Point } from "./point-settings.ts";

/**
 * Validates a model.
 * @param value the parsed file.
 * @throws AdapterError `settings`; the message starts with the wrong field, such as `devices[0].points[2].type`.
 */
export function readModel(value: unknown): Model {
  const { defaults = {}, devices, address = 1, ...rest } = checkedSetting(ModelFile, value, "");
  const parts = devices.map((part, index) => readPart(part, `devices[${index}]`, defaults));
  refuseDuplicates(
    parts.map(({ part }) => part),
    "devices",
    "part",
  );
  const model = { ...rest, address, number: numberOf(rest.id), devices: parts };
  // Every point is mapped once, so that what is wrong is named before anybody pairs such a device.
  mapModel(model, { id: "x", address, name: "x", deviceType: "MODEL", modelId: rest.id }, "line");
  return model;
}

function readPart(value: unknown, path: string, defaults: object): ModelPart {
  const part = checkedSetting(Part, value, path);
  const points = part.points.map((point, index) => {
    if (typeof point !== "object" || point === null)
      return checkedSetting(Point, point, `${path}.points[${index}]`);
    return checkedSetting(Point, { ...applying(defaults, point), ...point }, `${path}.points[${index}]`);
  });
  return { ...part, points };
}

/** The defaults that can apply to a point: numbers have formats, and a coil or a text has none. */
function applying(defaults: object, point: object): object {
  const { table, type, options } = { ...defaults, ...point } as Readonly<Record<string, unknown>>;
  const isBit = table === "coil" || table === "discrete";
  const kind = isBit || type === "bool" ? "bit" : type === "string" ? "text" : options ? "choice" : "number";
  const dropped: Readonly<Record<typeof kind, readonly string[]>> = {
    bit: ["type", "wordOrder", "byteOrder", "scale", "offset", "unit", "noValue", "minChange"],
    text: ["wordOrder", "scale", "offset", "unit", "noValue", "minChange"],
    choice: ["scale", "offset", "unit", "noValue", "minChange"],
    number: [],
  };
  return Object.fromEntries(Object.entries(defaults).filter(([field]) => !dropped[kind].includes(field)));
}

/** FNV-1a of the id: the same wherever and whenever the model is read. */
function numberOf(id: string): number {
  let hash = 0x811c9dc5;
  for (const letter of id) hash = Math.imul(hash ^ (letter.codePointAt(0) ?? 0), 0x01000193) >>> 0;
  return firstNumber + (hash % 1_000_000_000);
}
