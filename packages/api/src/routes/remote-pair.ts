import { type Command, Id, limits, Name, optionalOrNull, StringSet } from "@ledge/model";
import Type from "typebox";
import { Refused, refusedBy } from "../refused.ts";
import { row } from "../row.ts";

/** The protocol of devices that no adapter of this hub speaks to. */
const protocol = "remote";

const Text = optionalOrNull(Name);

/** A device as `GET /devices` has it. What is not here is the hub's to say. */
const BaseDevice = Type.Object({
  type: Type.String({ maxLength: limits.nameChars }),
  id: Id,
  name: Name,
  capabilities: StringSet,
  manufacturer: Text,
  model: Text,
});

export const remotePair = row({
  method: "POST",
  path: "/hub/remotepair",
  since: "1.14.15",
  summary: "Adds a device that somebody else speaks to; it is there a moment later, and unreachable",
  access: "SUPER_ADMIN",
  body: BaseDevice,
  result: Type.Null(),
  handle({ body, caller, id, hub: { kernel, log } }) {
    const native = body.id;
    for (const [, binding] of kernel.all("binding")) {
      if (binding.protocol === protocol && binding.native === native && !binding.removed)
        return new Refused(422, `${native} is paired already`);
    }
    const { type, name, capabilities, manufacturer = null, model = null } = body;
    const content = { class: type, capabilities: capabilities.values, manufacturer, model, extras: {} };
    const add = { type: "ADD_DEVICE", name, protocol, native, radio: protocol, ...content } as Command;
    const by = { origin: caller.origin, cause: `request:${id}` } as const;
    const { outcome } = kernel.foresee({ commands: [add], ...by });
    if (!outcome.accepted) return refusedBy(outcome.rejection);
    const added = kernel.submit({ commands: [add], ...by }).then((done) => {
      const [result] = done.accepted ? done.results : [];
      if (result === undefined || !("id" in result) || result.id === undefined) return undefined;
      // Nobody has heard of it.
      const attributes = { reachable: false };
      const report = { type: "REPORT_DEVICE", id: result.id, attributes, at: kernel.now() } as const;
      return kernel.submit({ commands: [report], ...by });
    });
    added.catch((error: unknown) => log("error", "a device was not paired", { native, error }));
    return null;
  },
});
