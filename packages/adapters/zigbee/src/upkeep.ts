import type { ConfigurationValues } from "@ledge/model";
import type { AnswerRequest } from "@ledge/port";
import { AdapterError } from "@ledge/port";
import type { Descriptions } from "./descriptions.ts";
import type { ZclRead } from "./map/index.ts";
import { settingActions } from "./map/index.ts";
import type { Nodes } from "./nodes.ts";
import type { Radio } from "./radio.ts";
import type { Sending } from "./sending.ts";
import type { Upgrades } from "./upgrade/upgrades.ts";

/** Options of `Upkeep`. */
export interface UpkeepOptions {
  readonly radio: Radio;
  readonly nodes: Nodes;
  readonly sending: Sending;
  readonly descriptions: Descriptions;
  readonly upgrades: Upgrades;
}

/** Handles requests to devices besides commands: settings and upgrades. */
export class Upkeep {
  readonly #options: UpkeepOptions;

  constructor(options: UpkeepOptions) {
    this.#options = options;
  }

  /** SET_CONFIGURATION {native, parameters}: sets, reads back and announces the device's values. */
  readonly configure: AnswerRequest = async ({ native, parameters }, signal) => {
    const { nodes, sending, descriptions, radio } = this.#options;
    const { node, unit } = nodes.kept(String(native));
    const actions = settingActions(unit, (parameters ?? {}) as ConfigurationValues, node.properties);
    if (actions.length === 0)
      throw new AdapterError("unsupported", `${unit.native} has none of these settings`);
    await sending.insist(node, actions, signal);
    for (const action of actions) {
      if (action.kind !== "write") continue;
      const { endpoint, cluster, values } = action;
      const read: ZclRead = { kind: "read", endpoint, cluster, attributes: Object.keys(values) };
      await sending.once(node, read, signal).catch(() => undefined);
    }
    const device = radio.device(node.ieee);
    if (device) nodes.lookAgain(node, device);
    descriptions.announceNews(node);
    return true;
  };

  /** START_UPGRADE {native}. */
  readonly upgrade: AnswerRequest = async ({ native }, signal) => {
    const { node, unit } = this.#options.nodes.kept(String(native));
    return await this.#options.upgrades.start(node, unit.native, signal);
  };
}
