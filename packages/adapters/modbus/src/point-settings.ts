import Type from "typebox";
import { numberTypes } from "./registers.ts";

const strict = { additionalProperties: false } as const;

export const Register = Type.Integer({ minimum: 0, maximum: 0xffff });
/** How often registers are read, ms. */
export const pollMs = Type.Optional(Type.Integer({ minimum: 20, maximum: 86_400_000 }));

/** How often the registers of a class are read, ms. A device's own `pollMs` replaces that of `fast`. */
export const pollClasses = { fast: 1000, normal: 10_000, slow: 300_000 } as const;
export type PollClass = keyof typeof pollClasses;

const order = Type.Optional(Type.Enum(["big", "little"]));
const Value = Type.Union([Type.String({ maxLength: 64 }), Type.Number(), Type.Boolean()]);
/** Number in the register -> value. */
const Options = Type.Record(Type.String({ pattern: "^-?\\d{1,10}$" }), Value, {
  minProperties: 1,
  maxProperties: 100,
  additionalProperties: false,
});

/** The fields of a point, apart from its place. */
export const pointFields = {
  type: Type.Optional(Type.Enum(["bool", "string", ...numberTypes])),
  wordOrder: order,
  byteOrder: order,
  scale: Type.Optional(Type.Number()),
  offset: Type.Optional(Type.Number()),
  unit: Type.Optional(Type.String({ maxLength: 16 })),
  writable: Type.Optional(Type.Boolean()),
  inverted: Type.Optional(Type.Boolean()),
  bit: Type.Optional(Type.Integer({ minimum: 0, maximum: 15 })),
  width: Type.Optional(Type.Integer({ minimum: 1, maximum: 16 })),
  length: Type.Optional(Type.Integer({ minimum: 1, maximum: 64 })),
  options: Type.Optional(Options),
  min: Type.Optional(Type.Number()),
  max: Type.Optional(Type.Number()),
  noValue: Type.Optional(Type.Array(Type.Number(), { maxItems: 16 })),
  minChange: Type.Optional(Type.Number({ minimum: 0 })),
  poll: Type.Optional(Type.Enum(Object.keys(pollClasses) as PollClass[])),
  pollMs,
};

export const tableNames = ["coil", "discrete", "holding", "input"] as const;

/**
 * One attribute of a device and its registers. `register` is the address in the frame, 0 to 65535: a manual's
 * 40001 is holding 0. value = number * `scale` + `offset` in `unit`, then converted to the hub's unit
 * (`quantities` in units.ts). An attribute is one of the model, or `extras.<name>` for anything else: of a type `bool`, a
 * number, a text (`string` of `length` registers), or one of `options`. `width` bits from `bit` on (0 is the
 * least significant) hold a number; one bit holds a boolean. `inverted`: of a boolean. `write`: where it is written, if
 * elsewhere. `noValue`: numbers, before scale, that mean "no reading". `minChange`: in the hub's unit; a smaller change
 * is reported once a minute. `type` is optional for coils and discrete inputs.
 */
export const Point = Type.Object(
  {
    attribute: Type.String(),
    table: Type.Enum([...tableNames]),
    register: Register,
    write: Type.Optional(
      Type.Object(
        {
          table: Type.Optional(Type.Enum(["coil", "holding"])),
          register: Register,
          options: Type.Optional(Options),
        },
        strict,
      ),
    ),
    ...pointFields,
  },
  strict,
);
export type PointSettings = Type.Static<typeof Point>;
