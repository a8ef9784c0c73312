import assert from "node:assert/strict";
import { createLogger } from "@ledge/host/logger";
import { until } from "@ledge/testkit";
import type { Mail } from "../mail/mailer.ts";
import { CloudMail } from "../mail/cloud-mail.ts";
import type { AnyCommand } from "../model/submitting.ts";
import type { EgressSettings, EgressTarget } from "../model/egress-state.ts";
import { TestCloud } from "../testdata/open-cloud.ts";
import { type Egress, openEgress } from "./open-egress.ts";
import { Receivers } from "./receivers.ts";

export const secret = `whsec_${Buffer.alloc(32, 7).toString("base64")}`;

/** A cloud with a site and its egress, and a clock that tests move. */
export class TestEgress {
  readonly test: TestCloud;
  readonly mails: Mail[] = [];
  readonly siteId = "villa";
  account = "";
  isMailDown = false;
  #egress: Egress | undefined;
  #count = 0;

  private constructor(test: TestCloud) {
    this.test = test;
  }

  static async open(): Promise<TestEgress> {
    const world = new TestEgress(await TestCloud.open());
    await world.test.logIn("ada@example.org");
    world.account = world.test.cloud.directory.accountOf("ada@example.org")?.id ?? assert.fail();
    await world.site(world.siteId);
    world.start();
    return world;
  }

  get egress(): Egress {
    return this.#egress ?? assert.fail("the egress is stopped");
  }

  /** Starts the egress. @param networks which the operator allows */
  start(networks: readonly string[] = ["127.0.0.0/8"]): void {
    const { cloud, clock } = this.test;
    const logger = createLogger("silent");
    const send = async (mail: Mail): Promise<void> => {
      if (this.isMailDown) throw new Error("down");
      this.mails.push(mail);
    };
    const mail = new CloudMail({ send }, () => "", logger, clock);
    this.#egress = openEgress({ cloud, mail, receivers: new Receivers(networks), clock, logger });
  }

  async stop(): Promise<void> {
    await this.#egress?.stop();
    this.#egress = undefined;
  }

  /** Stops all, and starts it anew from disk. */
  async restart(): Promise<void> {
    await this.stop();
    await this.test.stop();
    await this.test.start();
    this.start();
  }

  async remove(): Promise<void> {
    await this.stop();
    await this.test.remove();
  }

  async submit(...commands: readonly AnyCommand[]): Promise<void> {
    const outcome = await this.test.cloud.kernel.submit({ commands, origin: "console" });
    if (!outcome.accepted) assert.fail(JSON.stringify(outcome.rejection));
  }

  /** Makes a site. */
  site(id: string): Promise<void> {
    return this.submit({
      type: "CREATE_SITE",
      id,
      place: { subscription: this.account, group: "homes", name: id },
      displayName: "Villa",
      attributes: [],
      properties: { siteType: "other", timeZone: "UTC", features: [] },
      schema: {
        attributes: [{ name: "*" }],
        entities: [{ type: "*", attributes: [{ name: "*" }], parents: ["*"] }],
      },
    });
  }

  /** Makes a target with the defaults of the specification. */
  async target(
    targetId: string,
    url: string,
    more: Partial<EgressSettings> = {},
    id = this.siteId,
  ): Promise<void> {
    const usual = { method: "POST", headers: {}, requestTimeoutSeconds: null, fetchMaxEvents: 10 } as const;
    const settings = { url, ...usual, fetchWaitMaxMs: 10, ...more };
    await this.submit({ type: "CREATE_EGRESS_TARGET", id, targetId, settings, isEnabled: true, secret });
  }

  async enable(targetId: string, isEnabled: boolean): Promise<void> {
    const { settings } = this.targetOf(targetId);
    await this.submit({ type: "UPDATE_EGRESS_TARGET", id: this.siteId, targetId, settings, isEnabled });
  }

  targetOf(targetId: string): EgressTarget {
    return this.test.cloud.kernel.get("egress", this.siteId)?.targets[targetId] ?? assert.fail(targetId);
  }

  /** Makes entities with numbers that count on. @returns their names */
  async entities(count: number, id = this.siteId): Promise<string[]> {
    const names = Array.from({ length: count }, () => `e${++this.#count}`);
    const made = names.map((name) => {
      const about = { entityType: "room", displayName: name, attributes: [], device: null };
      return this.submit({ type: "CREATE_SITE_ENTITY", id, parent: "", name, ...about });
    });
    await Promise.all(made);
    return names;
  }

  /** Lets time elapse until a condition holds. @param stepMs how much time at once */
  async until(what: string, holds: () => boolean, stepMs = 10): Promise<void> {
    let isPassing: Promise<void> | undefined;
    await until(what, () => {
      if (holds()) return true;
      isPassing ??= this.test.clock.pass(stepMs).finally(() => (isPassing = undefined));
      return false;
    });
    await isPassing;
  }
}
