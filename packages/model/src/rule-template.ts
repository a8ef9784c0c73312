import Type from "typebox";

const shown = {
  displayOrder: Type.Integer(),
  description: Type.String(),
  help: Type.String(),
  minCount: Type.Integer(),
  maxCount: Type.Integer(),
  readOnly: Type.Boolean(),
  priority: Type.Integer(),
  filter: Type.Null(),
};

const devices = {
  ...shown,
  fieldType: Type.Literal("DEVICE"),
  capabilities: Type.Array(Type.String()),
  minValue: Type.Null(),
  maxValue: Type.Null(),
  defaultValue: Type.Null(),
  /** With several capabilities a device needs one of them: `or`. */
  selectOp: Type.Union([Type.Literal("and"), Type.Literal("or")]),
  icon: Type.Null(),
};

/** INPUT of a TEMPLATE (hub-api 2.8): a field that takes ids of devices. */
const InputField = Type.Object({ type: Type.Literal("INPUT"), ...devices });
const OutputField = Type.Object({ type: Type.Literal("OUTPUT"), ...devices });

/** VALUE of a TEMPLATE (hub-api 2.8): a field that takes objects whose `type` is its `fieldType`. */
const ValueField = Type.Object({
  type: Type.Literal("VALUE"),
  ...shown,
  fieldType: Type.String(),
  minValue: Type.Union([Type.Number(), Type.Null()]),
  maxValue: Type.Union([Type.Number(), Type.Null()]),
  /** In the form of `value`; a list if the field takes several. */
  defaultValue: Type.Unknown(),
  options: Type.Union([Type.Record(Type.String(), Type.String()), Type.Null()]),
  extraFor: Type.Union([Type.String(), Type.Null()]),
});

/** TEMPLATE (hub-api 2.8): a kind of rule, in the reader's language. */
export const RuleTemplate = Type.Object({
  type: Type.Literal("TEMPLATE"),
  category: Type.Union([Type.Literal("FACTORY_RULE"), Type.Literal("CUSTOM_RULE")]),
  configType: Type.String(),
  name: Type.String(),
  summary: Type.String(),
  description: Type.String(),
  priority: Type.Integer(),
  icon: Type.String(),
  inputs: Type.Record(Type.String(), InputField),
  outputs: Type.Record(Type.String(), OutputField),
  extras: Type.Record(Type.String(), ValueField),
});
export type RuleTemplate = Type.Static<typeof RuleTemplate>;
