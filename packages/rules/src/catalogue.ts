import type { Machine } from "./step.ts";
import { machineOf } from "./step.ts";
import type { Template } from "./template.ts";

/** A template with its machine, which all its rules share. */
export interface CatalogueEntry {
  readonly template: Template;
  readonly machine: Machine;
}

/** Templates by `configType`; each machine is built when its first rule asks for it. */
export class Catalogue {
  readonly templates: readonly Template[];
  readonly #byType = new Map<string, Template>();
  readonly #built = new Map<string, CatalogueEntry>();

  constructor(templates: readonly Template[]) {
    this.templates = templates;
    for (const template of templates) this.#byType.set(template.configType, template);
  }

  template(configType: string): Template | undefined {
    return this.#byType.get(configType);
  }

  entry(configType: string): CatalogueEntry | undefined {
    const built = this.#built.get(configType);
    if (built !== undefined) return built;
    const template = this.#byType.get(configType);
    if (template === undefined) return undefined;
    const entry = { template, machine: machineOf(template.chart) };
    this.#built.set(configType, entry);
    return entry;
  }
}
