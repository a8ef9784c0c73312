import type { DeviceClass } from "@ledge/model";
import { deviceClasses, limits } from "@ledge/model";
import Type from "typebox";
import { Point, pointFields, tableNames } from "./point-settings.ts";

const strict = { additionalProperties: false } as const;
const Label = Type.String({ minLength: 1, maxLength: limits.nameChars, pattern: "\\S" });
const Key = Type.String({ pattern: "^[a-z0-9][a-z0-9-]{0,47}$" });

/**
 * One device of a model, such as a meter, or one output of a relay module. `repeat`: as many such devices, each `step`
 * registers after the one before; they are numbered from 1. `capabilities` follow from the points unless given.
 */
export const Part = Type.Object(
  {
    part: Key,
    name: Type.Optional(Label),
    class: Type.Enum(Object.keys(deviceClasses) as DeviceClass[]),
    capabilities: Type.Optional(Type.Array(Type.String(), { maxItems: 64 })),
    repeat: Type.Optional(
      Type.Object(
        {
          count: Type.Integer({ minimum: 1, maximum: 256 }),
          step: Type.Integer({ minimum: 1, maximum: 1000 }),
        },
        strict,
      ),
    ),
    points: Type.Array(Type.Unknown(), { minItems: 1, maxItems: 128 }),
  },
  strict,
);

/**
 * A kind of device, described in a file of the folder `modbus.models`. `defaults` holds what most points have in
 * common. `identification`: words in the maker and model that such a device names itself (function 43/14).
 * `registerRequired`: whoever pairs such a device says at which register it begins.
 */
export const ModelFile = Type.Object(
  {
    format: Type.Literal(1),
    id: Key,
    manufacturer: Label,
    name: Label,
    about: Type.Optional(Type.String({ maxLength: 1000 })),
    address: Type.Optional(Type.Integer({ minimum: 1, maximum: 247 })),
    registerRequired: Type.Optional(Type.Boolean()),
    identification: Type.Optional(
      Type.Object({ manufacturer: Type.Optional(Label), model: Type.Optional(Label) }, strict),
    ),
    defaults: Type.Optional(
      Type.Object({ table: Type.Optional(Type.Enum([...tableNames])), ...pointFields }, strict),
    ),
    devices: Type.Array(Type.Unknown(), { minItems: 1, maxItems: 64 }),
  },
  strict,
);

export interface ModelPart extends Omit<Type.Static<typeof Part>, "points"> {
  readonly points: readonly Type.Static<typeof Point>[];
}

/** A model with its defaults filled in. */
export interface Model extends Omit<Type.Static<typeof ModelFile>, "devices" | "defaults" | "address"> {
  readonly address: number;
  /** Stands for it in `registerType` of PAIR_MODBUS: clients in the field send that back and no field of ours. */
  readonly number: number;
  readonly devices: readonly ModelPart[];
}

/** Numbers of models begin here; below are those of tables. */
export const firstNumber = 1000;
