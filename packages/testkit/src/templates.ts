import type { AnyDecider, Capability, Device, Language, RuleDiagram, RuleTemplate } from "@ledge/model";
import { aggregates, features, isRejection } from "@ledge/model";
import { catalogue, offeredTemplates, ruleDiagram, rulesOf } from "@ledge/rules";
import { contentOf } from "./sample-devices.ts";
import { openTestKernel } from "./test-kernel.ts";

/** A home in memory with every feature, in which rules of all templates can be saved. */
export interface RuleHome {
  /** The templates as clients get them. */
  readonly templates: (language: Language) => readonly RuleTemplate[];
  /** Returns the machine of a template. @throws Error without any */
  readonly diagram: (configType: string) => RuleDiagram;
  /** For each capability that a template asks for, several devices. */
  readonly devices: ReadonlyMap<string, Device>;
  readonly scene: string;
  /** Saves a CONFIG. @returns why the home refuses it, and at which field; undefined when it takes it */
  readonly save: (
    config: object,
  ) => Promise<{ readonly message: string; readonly field?: string } | undefined>;
}

const each = 2;

/** Opens such a home. */
export async function openRuleHome(): Promise<RuleHome> {
  const rules = rulesOf(catalogue) as AnyDecider;
  const { kernel, accept, submit } = openTestKernel({
    aggregates: aggregates.map((aggregate) => (aggregate.kind === "rule" ? rules : aggregate)),
  });
  const id = await accept({ type: "CREATE_HUB", name: "Home", timezone: "Europe/Helsinki" });
  await accept({ type: "SET_FEATURES", id, features: [features.VIDEO_SERVICE, features.SPOT_PRICES] });
  const asked = catalogue.templates.flatMap(({ inputs, outputs }) =>
    [...Object.values(inputs), ...Object.values(outputs)].flatMap(({ capabilities }) => capabilities),
  );
  for (const capability of new Set<Capability>(asked)) {
    for (let index = 0; index < each; index++) {
      const native = `${capability} ${index}`;
      const content = contentOf("MULTI_SENSOR", ["DEVICE", capability]);
      await accept({ type: "ADD_DEVICE", name: native, protocol: "sim", native, radio: "sim", ...content });
    }
  }
  const scene = await accept({ type: "CMD_SCENE", name: "Evening" });
  return {
    templates: (language) => offeredTemplates(catalogue, kernel, language),
    diagram(type) {
      const found = ruleDiagram(catalogue, kernel, { type });
      if (found === undefined || isRejection(found)) throw new Error(`no machine of ${type}`);
      return found;
    },
    devices: new Map(kernel.all("device")),
    scene,
    async save(config) {
      const outcome = await submit({ type: "SET_RULE", config });
      return outcome.accepted ? undefined : outcome.rejection;
    },
  };
}
