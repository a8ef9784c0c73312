import type { AdapterClock, AdapterLog } from "@ledge/port";
import { AdapterError } from "@ledge/port";
import type { Models } from "zigbee-herdsman";
import type { Chores } from "./chores.ts";
import { enrol } from "./enrolment.ts";
import { faultOf, isFinal } from "./fault.ts";
import type { Hearing } from "./hearing.ts";
import { endpointOf, isMains } from "./node.ts";
import type { Node, Nodes } from "./nodes.ts";
import type { Radio } from "./radio.ts";
import type { Sending } from "./sending.ts";
import type { Upgrades } from "./upgrade/upgrades.ts";

export interface SetUpOptions {
  readonly clock: AdapterClock;
  readonly log: AdapterLog;
  readonly radio: Radio;
  readonly hearing: Hearing;
  readonly chores: Chores;
  readonly sending: Sending;
  readonly nodes: Nodes;
  readonly upgrades: Upgrades;
}

/** Pauses between tries, ms: the last one again and again. */
const pausesMs = [10_000, 60_000, 300_000, 1_800_000];

interface Step {
  readonly name: string;
  readonly run: (device: Models.Device, panel: Models.Endpoint) => Promise<unknown>;
}

/** How far the set-up of a node has come. */
interface Course {
  /** Steps that were taken, or that the device refused for good. */
  readonly done: Set<string>;
  tries: number;
  cancelRetry: () => void;
}

/**
 * Tells nodes what to report: zones are enrolled, clusters bound, reporting configured, and what there is to know is
 * read. It goes on where it ended, until all is done: with a device that sleeps whenever that is heard.
 */
export class SetUp {
  readonly #options: SetUpOptions;
  readonly #courses = new Map<string, Course>();

  constructor(options: SetUpOptions) {
    this.#options = options;
  }

  /** From the beginning: a device that was reset has lost what it was told. */
  begin(node: Node): void {
    this.forget(node.ieee);
    for (const endpoint of this.#options.radio.device(node.ieee)?.endpoints ?? []) endpoint.clearBindings();
    this.#courses.set(node.ieee, { done: new Set(), tries: 0, cancelRetry: () => {} });
    this.#try(node.ieee);
  }

  forget(ieee: string): void {
    this.#courses.get(ieee)?.cancelRetry();
    this.#courses.delete(ieee);
  }

  /** The radio is gone. What was not finished is begun again when it is back. */
  stop(): void {
    for (const ieee of this.#courses.keys()) this.forget(ieee);
  }

  #try(ieee: string): void {
    this.#options.chores.add(`set up ${ieee}`, () => this.#run(ieee), "next");
  }

  async #run(ieee: string): Promise<void> {
    const { nodes, log, radio } = this.#options;
    const course = this.#courses.get(ieee);
    const node = nodes.get(ieee);
    if (course === undefined || node?.isMember !== true) return;
    course.cancelRetry();
    try {
      await nodes.setUp(node, false);
      for (const step of stepsOf(node, this.#options)) await this.#take(node, course, step);
      if (this.#courses.get(ieee) !== course) return;
      await nodes.setUp(node, true);
      this.#courses.delete(ieee);
      log("info", "a device is set up", { native: ieee });
    } catch (error) {
      if (this.#courses.get(ieee) !== course || !radio.isUp) return;
      log("info", "a device is not set up yet", { native: ieee, reason: faultOf(error).message });
      this.#retry(node, course);
    }
  }

  async #take(node: Node, { done }: Course, { name, run }: Step): Promise<void> {
    if (done.has(name)) return;
    const { radio, log } = this.#options;
    try {
      await radio.use(async (controller) => {
        const device = radio.device(node.ieee);
        const panel = controller.getDevicesByType("Coordinator")[0]?.getEndpoint(1);
        if (device === undefined || panel === undefined)
          throw new AdapterError("unreachable", "it is not in the network");
        await run(device, panel);
      });
    } catch (error) {
      const fault = faultOf(error);
      if (!isFinal(fault)) throw fault;
      log("debug", "a device refuses a step of its set-up", {
        native: node.ieee,
        step: name,
        reason: fault.message,
      });
    }
    done.add(name);
  }

  #retry(node: Node, course: Course): void {
    const { clock, hearing } = this.#options;
    const { ieee } = node;
    const pauseMs = pausesMs[Math.min(course.tries, pausesMs.length - 1)] ?? 0;
    course.tries += 1;
    if (isMains(node.facts)) {
      course.cancelRetry = clock.after(pauseMs, () => this.#try(ieee));
    } else {
      // At once, and not in turn: it is awake for a moment.
      course.cancelRetry = hearing.next(ieee, () => void this.#run(ieee));
    }
  }
}

function stepsOf(node: Node, { sending, clock, upgrades }: SetUpOptions): readonly Step[] {
  const steps: Step[] = [];
  const { model } = node;
  if (model) steps.push({ name: "configure", run: (_device, panel) => model.configure(panel) });
  for (const { setup } of node.keptUnits) {
    for (const id of setup.zones)
      steps.push({
        name: `zone ${id}`,
        run: (device, panel) => enrol(endpointOf(device, id), panel.deviceIeeeAddress, clock),
      });
    for (const { endpoint, cluster } of setup.bindings)
      steps.push({
        name: `bind ${endpoint} ${cluster}`,
        run: (device, panel) => bind(device, endpoint, cluster, panel),
      });
    for (const { endpoint, cluster, attribute, minSeconds, maxSeconds, change } of setup.reporting)
      steps.push({
        name: `report ${endpoint} ${cluster} ${attribute}`,
        run: (device) =>
          endpointOf(device, endpoint).configureReporting(
            cluster,
            [
              {
                attribute,
                minimumReportInterval: minSeconds,
                maximumReportInterval: maxSeconds,
                reportableChange: change,
              },
            ],
            { sendPolicy: "immediate" },
          ),
      });
  }
  for (const read of node.keptUnits.flatMap(({ setup }) => setup.reads))
    steps.push({
      name: `read ${read.endpoint} ${read.cluster} ${read.attributes.join()}`,
      run: () => sending.once(node, read),
    });
  steps.push({ name: "ask for its firmware", run: () => upgrades.ask(node) });
  return steps;
}

/** What its definition has bound is not bound again: a remote that sends to a group and here presses twice. */
async function bind(
  device: Models.Device,
  id: number,
  cluster: string,
  panel: Models.Endpoint,
): Promise<void> {
  const bound = device.getEndpoint(id)?.binds.some((each) => each.cluster.name === cluster);
  if (bound !== true) await endpointOf(device, id).bind(cluster, panel);
}
