import type { Capability, Language } from "@ledge/model";
import { capabilities, languages, limits, readingOf } from "@ledge/model";
import type { DeviceField, ValueField, ValueType } from "../catalogue/field.ts";
import { valueTypes } from "../catalogue/field.ts";
import type { Template, TemplateTexts } from "../catalogue/template.ts";
import { valueProblem } from "../catalogue/value.ts";
import type { Fields } from "./problem.ts";
import { fail, listAt, nameAt, shapeAt, textAt, under } from "./problem.ts";

/** What the TEMPLATE in a source describes. */
export type Described = Pick<Template, "priority" | "icon" | "inputs" | "outputs" | "extras" | "texts">;

/** The fields of a TEMPLATE (hub-api 2.8); what `GET /rules/templates` shows can be sent back as it is. */
const templateFields = new Set([
  "type",
  "category",
  "configType",
  "name",
  "summary",
  "description",
  "priority",
  "icon",
  "inputs",
  "outputs",
  "extras",
]);
const shownFields = ["type", "fieldType", "displayOrder", "description", "help", "minCount", "maxCount"];
const askedFields = ["minValue", "maxValue", "defaultValue", "readOnly", "priority", "filter"];
const deviceFields = new Set([...shownFields, ...askedFields, "capabilities", "selectOp", "icon"]);
const valueFields = new Set([...shownFields, ...askedFields, "options", "extraFor"]);

const fieldForm = /^[A-Za-z][A-Za-z0-9_]*$/;
const iconForm = /^[a-z]+(?:-[a-z]+)*$/;
const priorityMost = 100;

/**
 * Reads the TEMPLATE of a custom rule.
 * @throws SourceProblem
 */
export function describedBy(json: unknown, configType: string): Described {
  const at = "template";
  const given = shapeAt(json, at, templateFields);
  only(given, at, { type: "TEMPLATE", category: "CUSTOM_RULE", configType });
  const { priority = 50, icon = "rule" } = given;
  const isPriority = typeof priority === "number" && Number.isInteger(priority);
  if (!isPriority || priority < 0 || priority > priorityMost)
    fail(under(at, "priority"), `must be a whole number of at most ${priorityMost}`);
  if (typeof icon !== "string" || !iconForm.test(icon) || icon.length > limits.nameChars)
    fail(under(at, "icon"), "must be small letters, with hyphens between words");
  const labels = new Map<string, readonly [string, string]>();
  const read = <Field>(part: string, of: (json: unknown, path: string) => Field): Record<string, Field> => {
    const path = under(at, part);
    const entries = Object.entries(shapeAt(given[part] ?? {}, path, anyName));
    return Object.fromEntries(
      entries.map(([name, field]) => {
        const place = under(path, name);
        nameAt(name, place, fieldForm, "the name of a field has only letters, digits and _, a letter first");
        if (name.length > limits.nameChars) fail(place, `at most ${limits.nameChars} characters`);
        if (labels.has(name)) fail(place, `another field is already called ${name}`);
        if (labels.size >= limits.ruleFields) fail(place, `at most ${limits.ruleFields} fields`);
        const declared = of(field, place);
        labels.set(name, saidOf(field as Fields, place, name));
        return [name, declared];
      }),
    );
  };
  const inputs = read("inputs", (field, path) => deviceField(field, path, true));
  const outputs = read("outputs", (field, path) => deviceField(field, path, false));
  const extras = read("extras", valueField);
  for (const [name, { for: about }] of Object.entries(extras)) {
    if (about !== undefined && !Object.hasOwn(inputs, about) && !Object.hasOwn(outputs, about))
      fail(under(under(at, "extras"), `${name}.extraFor`), `there is no input or output ${about}`);
  }
  return { priority, icon, inputs, outputs, extras, texts: textsOf(given, at, labels) };
}

/** Any name is allowed for a field; the fields themselves are checked where they are read. */
const anyName = { has: () => true };

function textsOf(
  { name, summary = name, description = summary }: Fields,
  path: string,
  labels: ReadonlyMap<string, readonly [string, string]>,
): Readonly<Record<Language, TemplateTexts>> {
  const called = textAt(name, under(path, "name"), limits.nameChars);
  if (called.trim() === "") fail(under(path, "name"), "a name is wanted");
  const texts = {
    name: called,
    summary: textAt(summary, under(path, "summary"), limits.configurationTextChars),
    description: textAt(description, under(path, "description"), limits.configurationTextChars),
    fields: Object.fromEntries(labels),
  };
  return Object.fromEntries(languages.map((language) => [language, texts])) as Record<
    Language,
    TemplateTexts
  >;
}

function saidOf({ description, help }: Fields, path: string, name: string): readonly [string, string] {
  return [
    textAt(description ?? name, under(path, "description"), limits.nameChars),
    textAt(help ?? "", under(path, "help"), limits.configurationTextChars),
  ];
}

function deviceField(json: unknown, path: string, isInput: boolean): DeviceField {
  const given = shapeAt(json, path, deviceFields);
  only(given, path, { type: isInput ? "INPUT" : "OUTPUT", fieldType: "DEVICE" });
  const asked = listAt(given["capabilities"]);
  if (asked.length === 0) fail(under(path, "capabilities"), "at least one capability is wanted");
  for (const [index, capability] of asked.entries()) {
    const place = under(under(path, "capabilities"), index);
    if (!(capabilities as readonly unknown[]).includes(capability))
      fail(place, `there is no capability ${JSON.stringify(capability)}`);
    if (isInput && readingOf(capability as string) === undefined)
      fail(place, `${capability as string} has no reading`);
  }
  const [min, max] = countsOf(given, path, 1);
  return { capabilities: [...new Set(asked as readonly Capability[])], min, max };
}

function valueField(json: unknown, path: string): ValueField {
  const given = shapeAt(json, path, valueFields);
  only(given, path, { type: "VALUE" });
  const fieldType = given["fieldType"] as ValueType;
  if (!valueTypes.includes(fieldType))
    fail(under(path, "fieldType"), `must be one of ${valueTypes.join(", ")}`);
  const [min, max] = countsOf(given, path, 0);
  const { extraFor, defaultValue } = given;
  const about = extraFor ?? undefined;
  if (about !== undefined && typeof about !== "string")
    fail(under(path, "extraFor"), "the name of a field is wanted");
  const isList = max > 1 || fieldType === "TIME_RANGE" || fieldType === "SCENE";
  const field = {
    fieldType,
    min,
    max,
    minValue: boundOf(given, "minValue", path),
    maxValue: boundOf(given, "maxValue", path),
    standard: defaultValue ?? (isList ? [] : null),
    ...optionsOf(given, path),
    ...(about !== undefined && { for: about }),
  };
  const standards = isList ? listAt(field.standard) : field.standard === null ? [] : [field.standard];
  for (const value of standards) {
    const typed =
      fieldType === "TIME_RANGE" && typeof value === "object" ? value : { type: fieldType, value };
    const problem = valueProblem(typed as { type: string }, field, { get: () => undefined });
    if (problem !== undefined) fail(under(path, "defaultValue"), problem);
  }
  return isList ? { ...field, standard: standards } : field;
}

function optionsOf({ options }: Fields, path: string): Pick<ValueField, "options"> {
  if (options === undefined || options === null) return {};
  const names = Array.isArray(options) ? (options as readonly unknown[]) : Object.keys(options);
  const place = under(path, "options");
  if (names.length === 0 || names.length > limits.ruleFieldValues)
    fail(place, `needs 1 to ${limits.ruleFieldValues} options`);
  return { options: names.map((name) => textAt(name, place, limits.nameChars)) };
}

function countsOf(
  { minCount = 0, maxCount }: Fields,
  path: string,
  least: 0 | 1,
): readonly [min: number, max: number] {
  const max = maxCount ?? 1;
  for (const [name, count] of Object.entries({ minCount, maxCount: max })) {
    const isCount = typeof count === "number" && Number.isInteger(count);
    if (!isCount || count < 0 || count > limits.ruleFieldValues)
      fail(under(path, name), `must be a whole number of at most ${limits.ruleFieldValues}`);
  }
  const [from, to] = [minCount as number, max as number];
  if (to < Math.max(from, 1, least))
    fail(under(path, "maxCount"), "must be at least 1, and no less than minCount");
  return [from, to];
}

function boundOf(given: Fields, name: "minValue" | "maxValue", path: string): number | null {
  const bound = given[name] ?? null;
  if (bound !== null && typeof bound !== "number") fail(under(path, name), "a number is wanted");
  return bound;
}

/** Checks fields that may only repeat what their place already says. */
function only(given: Fields, path: string, said: Readonly<Record<string, string>>): void {
  for (const [name, value] of Object.entries(said)) {
    if (given[name] !== undefined && given[name] !== value) fail(under(path, name), `must be ${value}`);
  }
}
