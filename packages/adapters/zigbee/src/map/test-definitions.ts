import { readdirSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import type { NodeFacts } from "./facts.ts";
import type { ModelFacts } from "./known-features.ts";
import { nodeFacts } from "./test-node.ts";

/** A definition of zigbee-herdsman-converters as the map sees a device of its model. */
export interface DefinedDevice {
  /** Such as `Danfoss Icon2`. */
  readonly name: string;
  /** Endpoints without clusters: only the definition says what the device is. */
  readonly node: NodeFacts;
  readonly model: ModelFacts;
}

interface Definition {
  readonly vendor: string;
  readonly model: string;
  readonly exposes: unknown;
  readonly endpoint?: (device: object) => Readonly<Record<string, number>>;
}

interface Library {
  prepareDefinition(definition: unknown): Definition;
  setLogger(log: object): void;
}

const require = createRequire(import.meta.url);
const main = require.resolve("zigbee-herdsman-converters");
const folder = join(main, "..", "devices");

/** What definitions see of a device while the library makes its own list of devices. */
const dummy = { isDummyDevice: true };

/** Yields every definition of the library. Loading them all takes some 3 s and 250 MB. */
export function* definedDevices(): Generator<DefinedDevice> {
  const library = require(main) as Library;
  library.setLogger({ debug() {}, info() {}, warning() {}, error() {} });
  for (const file of readdirSync(folder)) {
    if (!file.endsWith(".js") || file === "index.js") continue;
    const { definitions } = require(join(folder, file)) as { readonly definitions: readonly unknown[] };
    for (const each of definitions) yield definedDevice(library.prepareDefinition(each));
  }
}

function definedDevice({ vendor, model, exposes, endpoint }: Definition): DefinedDevice {
  const name = `${vendor} ${model}`;
  const endpoints = endpointsOf(endpoint);
  const ids = [...new Set(Object.values(endpoints))];
  const rows = (ids.length === 0 ? [1] : ids).map((id) => ({ id, device: 0, in: [] }));
  const quirks = { isCoverInverted: false, color: undefined, hasNoEnhancedHue: false };
  const said: unknown = typeof exposes === "function" ? exposes(dummy, {}) : exposes;
  return {
    name,
    node: nodeFacts(rows, { manufacturer: vendor, model }),
    model: { name, exposes: said, endpoints, strays: new Set(), quirks },
  };
}

/** Some definitions look at the device for its endpoints: of those, any will do. */
function endpointsOf(endpoint: Definition["endpoint"]): Readonly<Record<string, number>> {
  try {
    return endpoint?.(dummy) ?? {};
  } catch {
    return {};
  }
}
