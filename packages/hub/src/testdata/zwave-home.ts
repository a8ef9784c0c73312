import assert from "node:assert/strict";
import { after, before } from "node:test";
import { type NodePlan, type ServedStick, serveStick, ZWaveStick } from "@ledge/testkit/zwave";
import { type Answer, bareProfile, eventually, temporaryFolder, TestHome } from "./hub-process.ts";

export interface Find {
  readonly id: string;
  readonly pairingStatus: string;
  readonly status: { readonly type: string } | null;
  readonly actionRequired: boolean;
  readonly info: string | null;
}

export interface Shown {
  readonly id: string;
  readonly type: string;
  readonly state: Readonly<Record<string, unknown>>;
}

interface Alarm {
  readonly kind: string;
  readonly count: number;
  readonly closed: boolean;
}

/** A hub and a Z-Wave stick that the tests of one file share. Nobody has chosen the stick yet. */
export class ZWaveHome {
  readonly home: TestHome;
  #served: ServedStick<ZWaveStick> | undefined;

  constructor(options: Parameters<typeof ZWaveStick.create>[0] = {}) {
    const folder = temporaryFolder();
    before(async () => {
      this.#served = await serveStick(await ZWaveStick.create(options));
      bareProfile(folder.path, { adapters: { zwave: {} } });
    });
    this.home = new TestHome("--profile", `${folder.path}/bare.json`);
    after(async () => {
      await this.served.close();
      folder.remove();
    });
  }

  get served(): ServedStick<ZWaveStick> {
    return this.#served ?? assert.fail("there is no stick before the first test");
  }

  /** Chooses the stick, and waits until its network is up. */
  async choose(): Promise<void> {
    const choice = { port: this.served.path, protocol: "zwave", driver: "zwave" };
    const taken = await this.home.call("POST", "/hub/stick", choice);
    assert.equal(taken.status, 200, JSON.stringify(taken.json));
    await eventually("a network", async () => ((await this.inclusion()) === "IDLE" ? true : undefined));
  }

  /** Sends a protocol command. */
  async command(type: string, fields: object = {}): Promise<Answer> {
    return await this.home.call("POST", "/hub/protocolconfig", [{ type, ...fields }]);
  }

  /** Returns the status of the last inclusion. */
  async inclusion(): Promise<unknown> {
    const { json } = await this.command("GET_ZWAVE_INCLUSION_STATUS");
    return (json as { status: unknown }).status;
  }

  /** Scans, and returns what the scan has found. */
  async finds(): Promise<readonly Find[]> {
    return ((await this.home.call("GET", "/hub/scan?ts=0")).json as { devices: Find[] }).devices;
  }

  /** Scans until something is fully described, and pairs it. Returns its id. */
  async pairNext(): Promise<string> {
    const known = new Set((await this.home.all<Shown>("/devices")).map(({ id }) => id));
    const find = await eventually("a described find", async () =>
      (await this.finds()).find(
        ({ id, pairingStatus, status }) => !known.has(id) && status !== null && pairingStatus === "COMPLETE",
      ),
    );
    const { status } = await this.home.call("PUT", "/hub/scan", {
      type: "SET_SCAN_RESULT",
      id: find.id,
      ignored: false,
    });
    assert.equal(status, 200);
    assert.equal((await this.home.call("GET", "/hub/stopscan")).status, 200);
    return find.id;
  }

  /** Lets a device join and pairs it. Returns its id. */
  async pair(plan: NodePlan): Promise<string> {
    await this.finds();
    this.served.stick.inclusion.seek(plan);
    return await this.pairNext();
  }

  /** Waits until a device is shown with such a state. */
  shown(id: string, what: string, is: (state: Shown["state"]) => boolean): Promise<Shown> {
    return eventually(what, async () =>
      (await this.home.all<Shown>("/devices")).find((each) => each.id === id && is(each.state)),
    );
  }

  async set(id: string, state: object): Promise<Answer> {
    return await this.home.call("PUT", "/devices/command", [{ type: "CMD_DEVICE", id, state }]);
  }

  /** Returns the alarms of a kind, open and closed. */
  async alarms(kind: string): Promise<readonly Alarm[]> {
    return (await this.home.all<Alarm>("/alarms")).filter((alarm) => alarm.kind === kind);
  }
}
