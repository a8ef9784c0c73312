import { type Decision, defineEvent, type EventOf, limits, reject } from "@ledge/model";
import Type from "typebox";
import { isAccount } from "./account.ts";
import { atMost } from "./at-most.ts";
import { jsonBytes } from "./json-size.ts";
import { named } from "./resource-id.ts";
import type { CloudDecider, CloudWorld } from "./states.ts";

/** What templates are for (platform-api 2.4). Those of devices are for one type of device each. */
export const templateTypes = ["device", "dashboard", "schema"] as const;
export type TemplateType = (typeof templateTypes)[number];

/** A template of a tenant. Programs know what its content means. */
export interface Template {
  readonly id: string;
  readonly templateType: TemplateType;
  /** The type of the devices that it is for; null for other templates. */
  readonly deviceType: string | null;
  readonly displayName: string;
  readonly content: Readonly<Record<string, unknown>>;
  /** Counts the versions, from 1. */
  readonly revision: number;
  /** Whether it is the one to use among those of its type. */
  readonly isDefault: boolean;
}

/** The templates of a tenant; the id is the tenant's. */
export interface Templates {
  readonly id: string;
  /** By id, which is unique in the tenant. */
  readonly templates: Readonly<Record<string, Template>>;
  readonly timestamp: number;
}

declare module "./states.ts" {
  interface CloudStates {
    templates: Templates;
  }
}

type Place = Pick<Template, "templateType" | "deviceType">;
type Said = Pick<Template, "displayName" | "content">;

export type TemplatesCommand =
  | ({ type: "ADD_TEMPLATE"; id: string; templateId: string; isDefault: boolean } & Place & Said)
  /** Replaces it whole; `isDefault` left out stays. */
  | ({ type: "REPLACE_TEMPLATE"; id: string; templateId: string; isDefault?: boolean } & Place & Said)
  | ({ type: "REMOVE_TEMPLATE"; id: string; templateId: string } & Place);

const TemplateSet = defineEvent(
  "TemplateSet",
  1,
  {
    templateId: Type.String(),
    templateType: Type.Enum([...templateTypes]),
    deviceType: Type.Union([Type.String(), Type.Null()]),
    displayName: Type.String(),
    content: Type.Record(Type.String(), Type.Unknown()),
    revision: Type.Integer(),
    isDefault: Type.Boolean(),
  },
  ["displayName", "content"],
);
const TemplateRemoved = defineEvent("TemplateRemoved", 1, { templateId: Type.String() });

export type TemplatesEvent = EventOf<typeof TemplateSet> | EventOf<typeof TemplateRemoved>;

export const templates: CloudDecider<Templates, TemplatesCommand, TemplatesEvent> = {
  kind: "templates",
  commands: ["ADD_TEMPLATE", "REPLACE_TEMPLATE", "REMOVE_TEMPLATE"],
  events: [TemplateSet, TemplateRemoved],
  secrets: ["templates"],

  target: ({ id }) => id,

  decide(command, state, world) {
    const { id, templateId } = command;
    const all = state?.templates ?? {};
    const held = named(all, templateId);
    if (command.type === "ADD_TEMPLATE") {
      if (held !== undefined)
        return reject("taken", `there is a template ${templateId} already`, "template.id");
      if (Object.keys(all).length >= limits.tenantTemplates)
        return atMost(limits.tenantTemplates, "templates");
      return set(command, 1, command.isDefault, world);
    }
    if (held === undefined || !isAt(held, command))
      return reject("not-found", `there is no template ${templateId}`, "templateId");
    if (command.type === "REMOVE_TEMPLATE") return [{ type: "TemplateRemoved", id, templateId }];
    return set(command, held.revision + 1, command.isDefault ?? held.isDefault, world);
  },

  evolve(state, event, timestamp) {
    const { id, templateId } = event;
    const { [templateId]: _, ...others } = state?.templates ?? {};
    if (event.type === "TemplateRemoved") return { id, templates: others, timestamp };
    const { templateType, deviceType, displayName, content, revision, isDefault } = event;
    const template = { id: templateId, templateType, deviceType, displayName, content, revision, isDefault };
    const rest = isDefault ? withoutDefault(others, template) : others;
    return { id, templates: { ...rest, [templateId]: template }, timestamp };
  },
};

function set(
  {
    id,
    templateId,
    templateType,
    deviceType,
    displayName,
    content,
  }: Exclude<TemplatesCommand, { type: "REMOVE_TEMPLATE" }>,
  revision: number,
  isDefault: boolean,
  world: CloudWorld,
): Decision<TemplatesEvent> {
  if (world.get("tenant", id) === undefined && !isAccount(id, world))
    return reject("not-found", `there is no tenant ${id}`, "tenantId");
  if (jsonBytes(content) > limits.templateBytes)
    return reject(
      "invalid",
      `template.content has at most ${limits.templateBytes} bytes as JSON`,
      "template.content",
    );
  const said = { templateType, deviceType, displayName, content: { ...content } };
  return [{ type: "TemplateSet", id, templateId, ...said, revision, isDefault }];
}

/** Of the templates for one thing, one at most is the default. */
function withoutDefault(all: Templates["templates"], place: Place): Templates["templates"] {
  const after = Object.entries(all).map(([id, one]) => {
    return [id, one.isDefault && isAt(one, place) ? { ...one, isDefault: false } : one] as const;
  });
  return Object.fromEntries(after);
}

function isAt(one: Place, { templateType, deviceType }: Place): boolean {
  return one.templateType === templateType && one.deviceType === deviceType;
}
