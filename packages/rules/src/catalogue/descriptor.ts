import type { Language, RuleTemplate } from "@ledge/model";
import type { DeviceField, ValueField } from "./field.ts";
import type { Template } from "./template.ts";

/** Returns a template as clients get it, in a language. */
export function describeTemplate(template: Template, language: Language): RuleTemplate {
  const { configType, priority, icon, inputs, outputs, extras, texts } = template;
  const { fields, ...said } = texts[language];
  const order = [...Object.keys(inputs), ...Object.keys(outputs), ...Object.keys(extras)];
  const about = (field: string): Pick<RuleTemplate["extras"][string], Exclude<About, "type">> => {
    const [label = field, help = ""] = fields[field] ?? [];
    return { displayOrder: order.indexOf(field) + 1, description: label, help, priority: 0 };
  };
  return {
    type: "TEMPLATE",
    category: template.custom ? "CUSTOM_RULE" : "FACTORY_RULE",
    configType,
    ...said,
    priority,
    icon,
    inputs: mapped(inputs, (field, name) => ({ type: "INPUT", ...deviceField(field), ...about(name) })),
    outputs: mapped(outputs, (field, name) => ({ type: "OUTPUT", ...deviceField(field), ...about(name) })),
    extras: mapped(extras, (field, name) => ({ type: "VALUE", ...valueField(field), ...about(name) })),
  };
}

type About = "type" | "displayOrder" | "description" | "help" | "priority";

function deviceField({ capabilities, min, max }: DeviceField): Omit<RuleTemplate["inputs"][string], About> {
  return {
    fieldType: "DEVICE",
    capabilities: [...capabilities],
    minCount: min,
    maxCount: max,
    minValue: null,
    maxValue: null,
    defaultValue: null,
    readOnly: false,
    filter: null,
    selectOp: capabilities.length > 1 ? "or" : "and",
    icon: null,
  };
}

function valueField(field: ValueField): Omit<RuleTemplate["extras"][string], About> {
  const { fieldType, min, max, minValue, maxValue, standard, options, for: extraFor } = field;
  return {
    fieldType,
    minCount: min,
    maxCount: max,
    minValue,
    maxValue,
    defaultValue: standard,
    options: options === undefined ? null : Object.fromEntries(options.map((option) => [option, option])),
    readOnly: false,
    filter: null,
    extraFor: extraFor ?? null,
  };
}

function mapped<From, To>(
  of: Readonly<Record<string, From>>,
  to: (from: From, name: string) => To,
): Record<string, To> {
  return Object.fromEntries(Object.entries(of).map(([name, from]) => [name, to(from, name)]));
}
