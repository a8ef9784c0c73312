import { limits } from "@ledge/model";
import Type from "typebox";
import type { Cloud } from "../cloud.ts";
import { type Template, templateTypes } from "../model/templates.ts";

/** The type of a device, for which templates are. */
export const DeviceType = Type.String({ minLength: 1, maxLength: limits.deviceTextChars });

const Content = Type.Record(Type.String(), Type.Unknown());
const DisplayName = Type.String({ minLength: 1, maxLength: limits.templateNameChars, pattern: "\\S" });
export const TemplateId = Type.String({ pattern: `^[a-z0-9_-]{1,${limits.templateIdChars}}$` });
export const TemplateTypeName = Type.Enum([...templateTypes]);

/** A template (platform-api 2.4). `revision` counts its versions, from 1. */
export const GraphTemplate = Type.Object({
  id: Type.String(),
  displayName: Type.String(),
  content: Content,
  revision: Type.Integer(),
  /** Whether it is the one to use among those of its type. */
  isDefault: Type.Boolean(),
});
type GraphTemplate = Type.Static<typeof GraphTemplate>;

/** The templates for a type of device. */
export const DeviceTemplates = Type.Object({
  type: Type.String(),
  defaultTemplateId: Type.Union([Type.String(), Type.Null()]),
  templates: Type.Array(GraphTemplate),
});

/** What replaces a template. `setAsDefault` left out stays as it is. */
export const TemplateChange = Type.Object({
  displayName: DisplayName,
  content: Content,
  setAsDefault: Type.Optional(Type.Boolean()),
});
export const NewTemplate = Type.Object({ id: TemplateId, ...TemplateChange.properties });

type Kernel = Pick<Cloud["kernel"], "get">;

/** Returns the templates of a tenant that pass, by id. */
export function templatesOf(
  tenant: string,
  kernel: Kernel,
  passes: (template: Template) => boolean,
): GraphTemplate[] {
  const all = Object.values(kernel.get("templates", tenant)?.templates ?? {});
  return all
    .filter(passes)
    .toSorted((one, other) => (one.id < other.id ? -1 : 1))
    .map(templateObject);
}

/** Returns the templates of a tenant for devices, by their type; with `only` those for that type, if it has any. */
export function deviceTemplatesOf(
  tenant: string,
  kernel: Kernel,
  only?: string,
): Type.Static<typeof DeviceTemplates>[] {
  const all = Object.values(kernel.get("templates", tenant)?.templates ?? {});
  const types = all.flatMap(({ deviceType }) => deviceType ?? []);
  const wanted = only === undefined ? [...new Set(types)].toSorted() : [only];
  return wanted.map((type) => {
    const templates = templatesOf(tenant, kernel, ({ deviceType }) => deviceType === type);
    const usual = templates.find(({ isDefault }) => isDefault);
    return { type, defaultTemplateId: usual?.id ?? null, templates };
  });
}

export function templateObject({ id, displayName, content, revision, isDefault }: Template): GraphTemplate {
  return { id, displayName, content: { ...content }, revision, isDefault };
}
