import type { ConfigurationValues } from "@ledge/model";
import type { AnswerRequest } from "@ledge/port";
import { AdapterError } from "@ledge/port";
import type { Descriptions } from "./descriptions.ts";
import type { Unit } from "./map/index.ts";
import {
  correctionsIn,
  correctionsOf,
  readBacksOf,
  settingActions,
  settingProblem,
  withoutEmptyDays,
} from "./map/index.ts";
import type { Node, Nodes } from "./nodes.ts";
import type { Radio } from "./radio.ts";
import type { Reports } from "./reports.ts";
import type { Sending } from "./sending.ts";
import type { Upgrades } from "./upgrade/upgrades.ts";

/** Options of `Upkeep`. */
export interface UpkeepOptions {
  readonly radio: Radio;
  readonly nodes: Nodes;
  readonly reports: Reports;
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
    const given = (parameters ?? {}) as ConfigurationValues;
    const wanted = withoutEmptyDays(unit, given, node.properties);
    const isPartlyKept = Object.keys(wanted).length < Object.keys(given).length;
    const problem = settingProblem(unit, wanted);
    if (problem !== undefined) throw new AdapterError("refused", problem);
    const actions = settingActions(unit, wanted, node.properties);
    const corrections = correctionsIn(unit, wanted);
    if (actions.length === 0 && Object.keys(corrections).length === 0 && !isPartlyKept)
      throw new AdapterError("unsupported", `${unit.native} has none of these settings`);
    await sending.insist(node, actions, signal);
    await this.#correct(node, unit, corrections);
    for (const read of readBacksOf(actions)) await sending.once(node, read, signal).catch(() => undefined);
    const device = radio.device(node.ieee);
    if (device) nodes.lookAgain(node, device);
    descriptions.announceNews(node);
    return true;
  };

  /** Corrects readings from now on, and reports the last ones again with their new corrections. */
  async #correct(node: Node, unit: Unit, news: ConfigurationValues): Promise<void> {
    if (Object.keys(news).length === 0) return;
    const { nodes, reports } = this.#options;
    const { native } = unit;
    node.corrections.set(native, correctionsOf({ ...node.corrections.get(native)?.given, ...news }));
    await nodes.store(node);
    reports.corrected(node, native);
  }

  /** START_UPGRADE {native}. */
  readonly upgrade: AnswerRequest = async ({ native }, signal) => {
    const { node, unit } = this.#options.nodes.kept(String(native));
    return await this.#options.upgrades.start(node, unit.native, signal);
  };

  /** CANCEL_UPGRADE {native}: gives up an upgrade that waits for the device to wake. */
  readonly cancelUpgrade: AnswerRequest = async ({ native }) => {
    const { nodes, upgrades } = this.#options;
    return await upgrades.cancel(nodes.member(String(native)));
  };
}
