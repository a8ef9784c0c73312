import Type from "typebox";
import { named } from "../model/resource-id.ts";
import { ownerOf } from "../model/owning.ts";
import type { AnyCommand } from "../model/submitting.ts";
import { type Failed, invalidFields, notFound } from "./errors.ts";
import { type GraphCall, row } from "./row.ts";
import {
  DeviceTemplates,
  deviceTemplatesOf,
  DeviceType,
  GraphTemplate,
  NewTemplate,
  TemplateChange,
  TemplateId,
  templateObject,
  templatesOf,
  TemplateTypeName,
} from "./template-object.ts";
import { failureOf } from "./submitting.ts";

const place = { templateType: TemplateTypeName, deviceType: Type.Optional(DeviceType) };
const SiteTemplateType = Type.Enum(["schema", "dashboard"]);

/** Types about the templates of tenants, and who may use them. */
export const templateRows = [
  row({
    type: "ListTemplatesTenantQuery",
    summary: "Lists the templates of a tenant for something",
    scope: "tenant",
    right: "R",
    fields: place,
    result: { templates: Type.Array(GraphTemplate) },
    handle({ fields: { templateType, deviceType }, target: { tenant }, parts: { cloud } }) {
      const templates = templatesOf(tenant.id, cloud.kernel, (one) => {
        const isOfType = deviceType === undefined || one.deviceType === deviceType;
        return one.templateType === templateType && isOfType;
      });
      return { templates };
    },
  }),
  row({
    type: "AddTemplateTenantCommand",
    summary: "Adds a template to a tenant; one for devices names their type",
    scope: "tenant",
    right: "A",
    addsToLog: true,
    fields: { ...place, template: NewTemplate },
    result: { template: GraphTemplate },
    handle(call) {
      const { id: templateId, setAsDefault: isDefault = false, ...said } = call.fields.template;
      return change({ type: "ADD_TEMPLATE", templateId, isDefault, ...said }, call);
    },
  }),
  row({
    type: "UpdateTemplateTenantCommand",
    summary: "Replaces a template of a tenant",
    scope: "tenant",
    right: "A",
    addsToLog: true,
    fields: { ...place, templateId: TemplateId, template: TemplateChange },
    result: { template: GraphTemplate },
    handle(call) {
      const { templateId, template } = call.fields;
      const { setAsDefault, ...said } = template;
      const isDefault = setAsDefault === undefined ? {} : { isDefault: setAsDefault };
      return change({ type: "REPLACE_TEMPLATE", templateId, ...said, ...isDefault }, call);
    },
  }),
  row({
    type: "RemoveTemplateTenantCommand",
    summary: "Removes a template of a tenant",
    scope: "tenant",
    right: "A",
    fields: { ...place, templateId: TemplateId },
    handle: async (call) =>
      (await submit({ type: "REMOVE_TEMPLATE", templateId: call.fields.templateId }, call)) ?? {},
  }),
  row({
    type: "ListTemplatesSiteQuery",
    summary: "Lists the templates that a site may use",
    scope: "site",
    right: "R",
    fields: { templateType: SiteTemplateType },
    result: { templates: Type.Array(GraphTemplate) },
    handle({ fields, target: { site }, parts: { cloud } }) {
      const tenant = cloud.tenancy.subscription(site.place.subscription)?.tenant ?? "";
      const { templateType } = fields;
      return { templates: templatesOf(tenant, cloud.kernel, (one) => one.templateType === templateType) };
    },
  }),
  row({
    type: "GetTemplateSiteQuery",
    summary: "Returns a template that a site may use",
    scope: "site",
    right: "R",
    fields: { templateId: TemplateId },
    result: { template: GraphTemplate },
    handle({ fields: { templateId }, target: { site }, parts: { cloud } }) {
      const tenant = cloud.tenancy.subscription(site.place.subscription)?.tenant ?? "";
      const template = named(cloud.kernel.get("templates", tenant)?.templates ?? {}, templateId);
      // Those for devices are none of a site's.
      if (template === undefined || template.templateType === "device")
        return notFound("template", templateId, "templateId");
      return { template: templateObject(template) };
    },
  }),
  row({
    type: "ListTemplatesDeviceRegisterQuery",
    summary:
      "Lists the templates for devices of a register, by type; those of a hub's register are its owner's",
    scope: "register",
    right: "R",
    fields: { deviceType: Type.Optional(DeviceType) },
    result: { deviceTemplates: Type.Array(DeviceTemplates) },
    handle({ fields: { deviceType }, target: { registerId, own }, parts: { cloud } }) {
      const tenant =
        own === undefined
          ? (ownerOf(cloud.kernel.get("authorizations", registerId)) ?? "")
          : (cloud.tenancy.subscription(own.place.subscription)?.tenant ?? "");
      return { deviceTemplates: deviceTemplatesOf(tenant, cloud.kernel, deviceType) };
    },
  }),
];

interface Place {
  readonly templateType: Type.Static<typeof TemplateTypeName>;
  readonly deviceType?: string;
}

type Command = AnyCommand & { readonly templateId: string };
type Call = GraphCall<"tenant", Place>;

/** Changes a template of a tenant. @returns the template after it */
async function change(
  command: Command,
  call: Call,
): Promise<{ template: Type.Static<typeof GraphTemplate> } | Failed> {
  const failed = await submit(command, call);
  if (failed !== undefined) return failed;
  const { kernel } = call.parts.cloud;
  const template = named(kernel.get("templates", call.target.tenant.id)?.templates ?? {}, command.templateId);
  return template
    ? { template: templateObject(template) }
    : notFound("template", command.templateId, "templateId");
}

async function submit(command: Command, call: Call): Promise<Failed | undefined> {
  const { templateType, deviceType } = call.fields;
  if ((templateType === "device") !== (deviceType !== undefined))
    return invalidFields([
      { field: "deviceType", message: "goes with the template type device, and only with it" },
    ]);
  const at = { id: call.target.tenant.id, templateType, deviceType: deviceType ?? null };
  return await failureOf(call, { ...command, ...at });
}
