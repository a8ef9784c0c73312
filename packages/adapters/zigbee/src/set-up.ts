import type { AdapterClock, AdapterLog } from "@ledge/port";
import { AdapterError } from "@ledge/port";
import type { Models } from "zigbee-herdsman";
import { carryOut, subjectOf } from "./by-hand.ts";
import type { Chores } from "./chores.ts";
import { Courses } from "./courses.ts";
import { enrol } from "./enrolment.ts";
import { faultOf, isFinal } from "./fault.ts";
import type { Hearing } from "./hearing.ts";
import type { Unit } from "./map/index.ts";
import { configureReporting, endpointOf, isMains } from "./node.ts";
import type { Node, Nodes } from "./nodes.ts";
import type { Radio } from "./radio.ts";
import type { Sending } from "./sending.ts";
import type { Upgrades } from "./upgrade/upgrades.ts";

/** Options of `SetUp`. */
export interface SetUpOptions {
  readonly clock: AdapterClock;
  readonly log: AdapterLog;
  readonly radio: Radio;
  readonly hearing: Hearing;
  readonly chores: Chores;
  readonly sending: Sending;
  readonly nodes: Nodes;
  readonly upgrades: Upgrades;
  /** Called when a node is set up. */
  readonly done: (node: Node) => void;
}

/** Pauses between attempts, ms; the last one repeats. */
const pausesMs = [10_000, 60_000, 300_000, 1_800_000];

interface Step {
  readonly name: string;
  readonly run: (device: Models.Device, panel: Models.Endpoint) => Promise<unknown>;
}

/** The progress of a node's set-up. */
interface Course {
  /** Steps that succeeded, or that the device refused for good. */
  readonly done: Set<string>;
  tries: number;
  cancel: () => void;
}

/**
 * Sets up nodes: enrols zones, binds clusters, configures reporting and reads the initial state. It resumes
 * after a failure until all is done, on a sleeping device whenever that is heard.
 */
export class SetUp {
  readonly #options: SetUpOptions;
  readonly #courses = new Courses<Course>();

  constructor(options: SetUpOptions) {
    this.#options = options;
  }

  /** Starts from the beginning: a device that was reset has lost its set-up. */
  begin(node: Node): void {
    for (const endpoint of this.#options.radio.device(node.ieee)?.endpoints ?? []) endpoint.clearBindings();
    this.#courses.begin(node.ieee, { done: new Set(), tries: 0, cancel: () => {} });
    this.#try(node.ieee);
  }

  /** Carries out one more step of a node that is set up; a set-up in progress takes it up by itself. */
  async goOn(node: Node, step: string): Promise<void> {
    await this.#takeUp(node, (name) => name === step);
  }

  /** Carries out the steps that a node has beyond those of its former units. */
  async grown(node: Node, former: readonly Unit[]): Promise<void> {
    const namesOf = (units: readonly Unit[]): readonly string[] =>
      unitSteps(node, units, this.#options).map(({ name }) => name);
    const had = new Set(namesOf(former));
    const news = new Set(namesOf(node.keptUnits).filter((name) => !had.has(name)));
    if (news.size > 0) await this.#takeUp(node, (name) => news.has(name));
  }

  async #takeUp(node: Node, isWanted: (step: string) => boolean): Promise<void> {
    const names = stepsOf(node, this.#options).map(({ name }) => name);
    const course = this.#courses.get(node.ieee);
    for (const name of names.filter(isWanted)) course?.done.delete(name);
    if (course === undefined) {
      const done = new Set(names.filter((name) => !isWanted(name)));
      this.#courses.begin(node.ieee, { done, tries: 0, cancel: () => {} });
    }
    await this.#options.nodes.setUp(node, false);
    await this.#options.nodes.store(node);
    this.#try(node.ieee);
  }

  forget(ieee: string): void {
    this.#courses.end(ieee);
  }

  /** The radio is gone. Unfinished set-ups start again when it is back. */
  stop(): void {
    this.#courses.endAll();
  }

  #try(ieee: string): void {
    this.#options.chores.add(`set up ${ieee}`, () => this.#run(ieee), "next");
  }

  async #run(ieee: string): Promise<void> {
    const { nodes, log, radio } = this.#options;
    const course = this.#courses.get(ieee);
    const node = nodes.get(ieee);
    if (course === undefined || node?.isMember !== true) return;
    course.cancel();
    try {
      await nodes.setUp(node, false);
      for (const step of stepsOf(node, this.#options)) await this.#take(node, course, step);
      if (!this.#courses.isCurrent(ieee, course)) return;
      await nodes.setUp(node, true);
      this.#courses.end(ieee);
      log("info", "a device is set up", { native: ieee });
      this.#options.done(node);
    } catch (error) {
      if (!this.#courses.isCurrent(ieee, course) || !radio.isUp) return;
      log("info", "could not complete the set-up of a device yet", {
        native: ieee,
        reason: faultOf(error).message,
      });
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
          throw new AdapterError("unreachable", "the device is not in the network");
        await run(device, panel);
      });
    } catch (error) {
      const fault = faultOf(error);
      if (!isFinal(fault)) throw fault;
      log("debug", "a device refused a step of its set-up", {
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
      course.cancel = clock.after(pauseMs, () => this.#try(ieee));
    } else {
      // At once instead of in turn: the device is awake only for a moment.
      course.cancel = hearing.next(ieee, () => void this.#run(ieee));
    }
  }
}

function stepsOf(node: Node, options: SetUpOptions): readonly Step[] {
  const { radio, upgrades } = options;
  const { model } = node;
  const configure: Step = { name: "configure", run: async (_device, panel) => await model?.configure(panel) };
  return [
    ...(model ? [configure] : []),
    ...unitSteps(node, node.keptUnits, options),
    ...node.byHand.map((choice): Step => {
      const run = (device: Models.Device): Promise<unknown> =>
        radio.use((controller) => carryOut(choice, device, controller));
      return { name: subjectOf(choice), run };
    }),
    { name: "ask for its firmware", run: () => upgrades.ask(node) },
  ];
}

/** Returns the steps of some units of a node. */
function unitSteps(node: Node, units: readonly Unit[], { sending, clock }: SetUpOptions): readonly Step[] {
  const steps: Step[] = [];
  for (const { setup } of units) {
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
    for (const reporting of setup.reporting) {
      const { endpoint, cluster, attribute } = reporting;
      steps.push({
        name: `report ${endpoint} ${cluster} ${attribute}`,
        run: (device) =>
          configureReporting(endpointOf(device, endpoint), reporting, { sendPolicy: "immediate" }),
      });
    }
  }
  for (const read of units.flatMap(({ setup }) => setup.reads))
    steps.push({
      name: `read ${read.endpoint} ${read.cluster} ${read.attributes.join()}`,
      run: () => sending.once(node, read),
    });
  return steps;
}

/**
 * Skips a binding that the definition has made: a remote that sends both to a group and to the hub would
 * press twice.
 */
async function bind(
  device: Models.Device,
  id: number,
  cluster: string,
  panel: Models.Endpoint,
): Promise<void> {
  const bound = device.getEndpoint(id)?.binds.some((each) => each.cluster.name === cluster);
  if (bound !== true) await endpointOf(device, id).bind(cluster, panel);
}
