import {
  AddNodeStatus,
  AddNodeToNetworkRequest,
  AddNodeToNetworkRequestStatusReport,
  AddNodeType,
  RemoveNodeFromNetworkRequest,
  RemoveNodeFromNetworkRequestStatusReport,
  RemoveNodeStatus,
  RemoveNodeType,
  SoftResetRequest,
} from "@zwave-js/serial/serialapi";
import type { MockController, MockControllerBehavior, MockNode } from "@zwave-js/testing";
import type { NodePlan } from "./node-plan.ts";
import { announce, asksFor, labelOf, type SmartStartLabel } from "./smart-start.ts";
import { supportedClasses } from "./supported-classes.ts";

/** A stick gives each node the next id; 232 is the last of Z-Wave without Long Range. */
const lastId = 232;

interface Nodes {
  readonly create: (id: number, plan: NodePlan) => Promise<MockNode>;
  readonly left: (id: number) => void;
}

/** How often a device of SmartStart announces itself, ms; real ones do it ever more seldom. */
const announceMs = 10_000;

type Mode = "idle" | "listening" | "adding" | "removing";

/**
 * How nodes come into a stick's network and leave it. A device that seeks a network joins as soon as the stick adds
 * nodes; one whose button was pressed for it leaves as soon as the stick removes nodes.
 */
export class Inclusion {
  readonly #controller: MockController;
  readonly #nodes: Nodes;
  #mode: Mode = "idle";
  #callbackId = 0;
  #lastId = 1;
  #seeking: NodePlan[] = [];
  /** Devices of SmartStart with power that are in no network. */
  readonly #announcing = new Set<MockNode>();
  #lastFrame: Uint8Array = new Uint8Array();
  #leaving: (number | "stranger")[] = [];
  #added: number | undefined;
  #replacing: ((plan: NodePlan) => void) | undefined;
  /** Called while a node joins, before the stick tells the host of the next step. */
  onStep: (status: AddNodeStatus | RemoveNodeStatus) => Promise<void> = async () => {};

  constructor(controller: MockController, nodes: Nodes) {
    this.#controller = controller;
    this.#nodes = nodes;
  }

  get mode(): Mode {
    return this.#mode;
  }

  nextId(): number {
    this.#lastId = (this.#lastId % lastId) + 1;
    return this.#lastId;
  }

  /** The stick has another memory: further nodes get ids after this one. */
  continueAfter(id: number): void {
    this.#lastId = id;
  }

  /** Lets a device seek a network until it has joined one. */
  seek(plan: NodePlan): void {
    const replacing = this.#replacing;
    this.#replacing = undefined;
    if (replacing) return replacing(plan);
    this.#seeking.push(plan);
    if (this.#mode === "adding") void this.#addNext();
  }

  /** Makes a device of SmartStart that has no power yet. */
  async smart(plan: NodePlan): Promise<{ readonly label: SmartStartLabel; readonly node: MockNode }> {
    const node = await this.#nodes.create(this.nextId(), plan);
    return { node, label: labelOf(node) };
  }

  /** Gives a device of SmartStart power: it announces itself until it is in a network. */
  powerOn(node: MockNode): void {
    this.#announcing.add(node);
    void this.#announce(node);
  }

  async #announce(node: MockNode): Promise<void> {
    while (this.#announcing.has(node)) {
      if (this.#mode === "listening") await announce(this.#controller, node);
      await new Promise<void>((resolve) => setTimeout(resolve, announceMs).unref());
    }
  }

  /** Hears each frame of the host before `behaviour` does: the library reads no key out of it. */
  heard(frame: Uint8Array): void {
    this.#lastFrame = frame;
  }

  /** Presses a node's button, so that it leaves when the stick removes nodes; `stranger`: of another network. */
  leave(id: number | "stranger"): void {
    this.#leaving.push(id);
    if (this.#mode === "removing") void this.#removeNext();
  }

  /** Lets the next device that seeks a network take the place of a node. Resolves when it has. */
  async replaceNext(id: number): Promise<void> {
    const plan =
      this.#seeking.shift() ?? (await new Promise<NodePlan>((resolve) => (this.#replacing = resolve)));
    this.#nodes.left(id);
    this.#controller.addNode(await this.#nodes.create(id, plan));
  }

  /** Ends what is under way, as a stick without power does. Devices go on seeking. */
  reset(): void {
    this.#mode = "idle";
    this.#added = undefined;
    this.#replacing = undefined;
  }

  readonly behaviour: MockControllerBehavior = {
    onHostMessage: async (_controller, message) => {
      if (message instanceof AddNodeToNetworkRequest) {
        await this.#add(message);
        return true;
      }
      // The library's controller answers it.
      if (message instanceof SoftResetRequest) {
        this.reset();
        this.#controller.state.clear();
      }
      if (message instanceof RemoveNodeFromNetworkRequest) {
        await this.#remove(message);
        return true;
      }
      return false;
    },
  };

  async #add({ addNodeType, callbackId = 0 }: AddNodeToNetworkRequest): Promise<void> {
    if (addNodeType === AddNodeType.Stop) {
      const nodeId = this.#added;
      this.reset();
      if (nodeId === undefined) await this.#tellAdding({ callbackId, status: AddNodeStatus.Failed });
      else await this.#tellAdding({ callbackId, status: AddNodeStatus.Done, nodeId });
      return;
    }
    if (addNodeType === AddNodeType.SmartStartListen) {
      if (this.#mode === "idle") this.#mode = "listening";
      return;
    }
    if (this.#mode === "adding" || this.#mode === "removing") {
      await this.#tellAdding({ callbackId, status: AddNodeStatus.Failed });
      return;
    }
    this.#mode = "adding";
    this.#callbackId = callbackId;
    await this.#tellAdding({ callbackId, status: AddNodeStatus.Ready });
    if (addNodeType !== AddNodeType.SmartStartDSK) return await this.#addNext();
    const smart = [...this.#announcing].find((node) => asksFor(this.#lastFrame, node));
    if (smart && (await this.#join(smart))) this.#announcing.delete(smart);
  }

  async #addNext(): Promise<void> {
    const plan = this.#seeking.shift();
    if (plan === undefined) return;
    if (!(await this.#join(await this.#nodes.create(this.nextId(), plan)))) this.#seeking.push(plan);
  }

  /** Returns whether the node is in the network; not if the stick was interrupted. */
  async #join(node: MockNode): Promise<boolean> {
    const callbackId = this.#callbackId;
    const { id: nodeId, capabilities } = node;
    const { basicDeviceClass, genericDeviceClass, specificDeviceClass } = capabilities;
    const supportedCCs = [...supportedClasses(node)];
    const nodeInfo = { nodeId, basicDeviceClass, genericDeviceClass, specificDeviceClass, supportedCCs };
    for (const report of [
      { callbackId, status: AddNodeStatus.NodeFound },
      { callbackId, status: AddNodeStatus.AddingSlave, nodeInfo },
      { callbackId, status: AddNodeStatus.ProtocolDone },
    ] as const) {
      await this.onStep(report.status);
      if (this.#mode !== "adding") return false;
      if (report.status === AddNodeStatus.ProtocolDone) {
        this.#controller.addNode(node);
        this.#added = nodeId;
      }
      await this.#tellAdding(report);
    }
    return true;
  }

  async #tellAdding(
    report: ConstructorParameters<typeof AddNodeToNetworkRequestStatusReport>[0],
  ): Promise<void> {
    if (report.callbackId === 0) return;
    await this.#controller.sendMessageToHost(new AddNodeToNetworkRequestStatusReport(report));
  }

  async #remove({ removeNodeType, callbackId = 0 }: RemoveNodeFromNetworkRequest): Promise<void> {
    if (removeNodeType === RemoveNodeType.Stop) {
      this.reset();
      await this.#tellRemoving({ callbackId, status: RemoveNodeStatus.Done });
      return;
    }
    if (this.#mode === "adding" || this.#mode === "removing") {
      await this.#tellRemoving({ callbackId, status: RemoveNodeStatus.Failed });
      return;
    }
    this.#mode = "removing";
    this.#callbackId = callbackId;
    await this.#tellRemoving({ callbackId, status: RemoveNodeStatus.Ready });
    await this.#removeNext();
  }

  async #removeNext(): Promise<void> {
    const leaver = this.#leaving.shift();
    if (leaver === undefined) return;
    const callbackId = this.#callbackId;
    const nodeId = leaver === "stranger" ? 0 : leaver;
    for (const report of [
      { callbackId, status: RemoveNodeStatus.NodeFound },
      { callbackId, status: RemoveNodeStatus.RemovingSlave, nodeId },
      { callbackId, status: RemoveNodeStatus.Done },
    ] as const) {
      await this.onStep(report.status);
      if (this.#mode !== "removing") return;
      if (report.status === RemoveNodeStatus.Done) this.#nodes.left(nodeId);
      await this.#tellRemoving(report);
    }
  }

  async #tellRemoving(
    report: ConstructorParameters<typeof RemoveNodeFromNetworkRequestStatusReport>[0],
  ): Promise<void> {
    if (report.callbackId === 0) return;
    await this.#controller.sendMessageToHost(new RemoveNodeFromNetworkRequestStatusReport(report));
  }
}
