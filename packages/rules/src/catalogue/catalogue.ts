import type { CustomRule, Reader } from "@ledge/model";
import { isRejection } from "@ledge/model";
import { isCustomType, parseCustomRule } from "../custom/source.ts";
import type { Machine } from "../machine/step.ts";
import { machineOf } from "../machine/step.ts";
import type { Template } from "./template.ts";

/** A template with its machine, which all rules of the template share. */
export interface CatalogueEntry {
  readonly template: Template;
  readonly machine: Machine;
}

/**
 * The templates by `configType`: those of this release, and the custom ones in the states of a reader. A
 * machine is built when the first rule asks for it.
 */
export class Catalogue {
  /** The templates of this release. */
  readonly templates: readonly Template[];
  readonly #byType = new Map<string, Template>();
  readonly #built = new Map<string, CatalogueEntry>();
  /** Compiled custom rules; the template is undefined when this release does not understand the source. */
  readonly #custom = new WeakMap<CustomRule, CatalogueEntry | { readonly template: undefined }>();

  constructor(templates: readonly Template[]) {
    this.templates = templates;
    for (const template of templates) this.#byType.set(template.configType, template);
  }

  /**
   * Returns a template.
   * @param read where custom rules are installed; left out: only this release's templates
   */
  template(configType: string, read?: Pick<Reader, "get">): Template | undefined {
    return this.#byType.get(configType) ?? this.#installed(configType, read)?.template;
  }

  /**
   * Returns a template with its machine.
   * @param read as for `template`
   */
  entry(configType: string, read?: Pick<Reader, "get">): CatalogueEntry | undefined {
    const built = this.#built.get(configType);
    if (built !== undefined) return built;
    const template = this.#byType.get(configType);
    if (template === undefined) return this.#installed(configType, read);
    const entry = { template, machine: machineOf(template.chart) };
    this.#built.set(configType, entry);
    return entry;
  }

  /** Returns the templates of the installed custom rules, by name. */
  installed(read: Pick<Reader, "get" | "all">): readonly Template[] {
    const types = [...read.all("customRule")].map(([id]) => id).toSorted();
    return types.flatMap((configType) => this.template(configType, read) ?? []);
  }

  #installed(configType: string, read: Pick<Reader, "get"> | undefined): CatalogueEntry | undefined {
    const rule = isCustomType(configType) ? read?.get("customRule", configType) : undefined;
    if (rule === undefined) return undefined;
    let entry = this.#custom.get(rule);
    if (entry === undefined) {
      const parsed = parseCustomRule(rule.source, rule.version);
      const template = isRejection(parsed) ? undefined : parsed.template;
      entry = template === undefined ? { template } : { template, machine: machineOf(template.chart) };
      this.#custom.set(rule, entry);
    }
    return entry.template === undefined ? undefined : entry;
  }
}
