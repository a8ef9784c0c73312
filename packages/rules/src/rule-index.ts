import type { Reader, RuleState } from "@ledge/model";
import { readingOf } from "@ledge/model";
import type { Catalogue } from "./catalogue.ts";
import { allScheduled } from "./scheduled.ts";

/**
 * Which rules an event may concern: by device and attribute, and by what else they hear. It is derived from the
 * rules and may name too many: rules that are gone, that hear of a device no longer, or whose creation was lost with
 * its commit. Whoever asks looks at the rule itself.
 */
export class RuleIndex {
  readonly #catalogue: Catalogue;
  readonly #byAttribute = new Map<string, Set<string>>();
  readonly #byDevice = new Map<string, Set<string>>();
  readonly #byTopic = new Map<string, Set<string>>();
  #isBuilt = false;

  constructor(catalogue: Catalogue) {
    this.#catalogue = catalogue;
  }

  /** Takes in the rules that there are, once. */
  build(read: Pick<Reader, "all" | "get">): void {
    if (this.#isBuilt) return;
    this.#isBuilt = true;
    for (const [, rule] of read.all("rule")) this.add(rule);
    for (const rule of allScheduled(read)) this.add(rule);
  }

  add({ id, config }: Pick<RuleState, "id" | "config">): void {
    const template = this.#catalogue.template(config.configType);
    if (template === undefined) return;
    const { hears = [], times } = template;
    for (const topic of hears) put(this.#byTopic, topic, id);
    if (times !== undefined) put(this.#byTopic, "time", id);
    for (const [fields, isHeard] of [
      [template.inputs, true],
      [template.outputs, hears.includes("outputs")],
    ] as const) {
      for (const [field, { capabilities }] of Object.entries(fields)) {
        const attributes = isHeard ? new Set([...capabilities.map(readingOf), "reachable"]) : [];
        for (const device of config[fields === template.inputs ? "inputs" : "outputs"][field] ?? []) {
          if (fields === template.outputs) put(this.#byDevice, device, id);
          for (const attribute of attributes) {
            if (attribute !== undefined) put(this.#byAttribute, `${device}\0${attribute}`, id);
          }
        }
      }
    }
  }

  /** Rules that may hear of an attribute of a device. */
  hearing(device: string, attribute: string): Iterable<string> {
    return this.#byAttribute.get(`${device}\0${attribute}`) ?? [];
  }

  /** Rules that may have a device among their outputs. */
  driving(device: string): Iterable<string> {
    return this.#byDevice.get(device) ?? [];
  }

  /** Rules that may hear of something beside devices: `price`, `closed`, `failed`, `time`. */
  about(topic: string): Iterable<string> {
    return this.#byTopic.get(topic) ?? [];
  }
}

function put(sets: Map<string, Set<string>>, key: string, id: string): void {
  const found = sets.get(key);
  if (found === undefined) sets.set(key, new Set([id]));
  else found.add(id);
}
