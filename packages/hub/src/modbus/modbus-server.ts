import type { ModbusTcp, ModbusTcpStatus } from "@ledge/api";
import { noModbusTcp } from "@ledge/api";
import type { Clock, Kernel } from "@ledge/kernel";
import { isReadOnly } from "@ledge/kernel";
import type { Command, ModbusServer } from "@ledge/model";
import { defaultModbusServer, featureEvents, hasFeature, limits, modbusServerId } from "@ledge/model";
import { Buckets } from "@ledge/link";
import type { Logger } from "@ledge/host/logger";
import { identificationOf, type Objects, refusalOf, valuesOf, writtenOf } from "./answers.ts";
import type { Asked } from "./frames.ts";
import { type AwaitedOf, Image } from "./image.ts";
import type { Question, Refusal } from "./requests.ts";
import { readRequest, refusals } from "./requests.ts";
import { ModbusTcpServer } from "./server.ts";

export interface ModbusServiceHost {
  readonly kernel: Kernel;
  readonly clock: Clock;
  readonly logger: Logger;
  /** The address to listen on. */
  readonly host: string;
  readonly version: string;
}

type Running = { readonly server: ModbusTcpServer; readonly settings: ModbusServer };

/** Waits between attempts to listen, each twice as long as the one before. */
const retryMs = { first: 10_000, most: 600_000 };

/**
 * The hub's Modbus TCP server: listens while the feature is on and it is enabled, shows the attributes of devices as
 * its mappings say, and turns what clients write into commands of theirs. Changes of settings take effect at once.
 */
export class ModbusService implements ModbusTcp {
  readonly #host: ModbusServiceHost;
  #running: Running | undefined;
  #image = new Image([]);
  #mappings: ModbusServer["mappings"] = [];
  readonly #commands = new Buckets(limits.modbusCommandsPerMinute, limits.modbusClients);
  #problem: string | null = null;
  /** Attempts to listen that have failed since somebody changed something. */
  #failures = 0;
  #turn: Promise<void> = Promise.resolve();
  #unsubscribe: () => void = () => {};
  #cancelRetry: () => void = () => {};
  #stopped = false;

  constructor(host: ModbusServiceHost) {
    this.#host = host;
  }

  status(): ModbusTcpStatus {
    const { server } = this.#running ?? {};
    const now = server === undefined ? noModbusTcp.status() : { listening: server.port, ...server.figures };
    return { ...now, problem: this.#problem };
  }

  start(): void {
    this.#unsubscribe = this.#host.kernel.subscribe({
      published: ({ events }) => {
        if (!events.some(({ type }) => changing.has(type))) return;
        this.#failures = 0;
        this.#adapt();
      },
    });
    this.#adapt();
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    this.#unsubscribe();
    this.#cancelRetry();
    await this.#turn;
    await this.#running?.server.close();
    this.#running = undefined;
  }

  /** Resolves when the settings that are published now are in force. */
  settled(): Promise<void> {
    return this.#turn;
  }

  #adapt(): void {
    this.#turn = this.#turn
      .then(() => this.#toSettings())
      .catch((error: unknown) => this.#fail((error as Error).message));
  }

  #fail(reason: string): void {
    const { clock, logger } = this.#host;
    if (reason !== this.#problem) logger.warn({ reason }, "the Modbus TCP server cannot listen");
    this.#problem = reason;
    if (this.#stopped) return;
    const waitMs = Math.min(retryMs.most, retryMs.first * 2 ** Math.min(this.#failures, 10));
    this.#failures += 1;
    this.#cancelRetry = clock.after(waitMs, () => this.#adapt());
  }

  async #toSettings(): Promise<void> {
    const { kernel, logger, host } = this.#host;
    const settings = kernel.get("modbusServer", modbusServerId) ?? defaultModbusServer;
    if (settings.mappings !== this.#mappings) {
      this.#mappings = settings.mappings;
      this.#image = new Image(settings.mappings);
    }
    const wanted = settings.enabled && !this.#stopped && hasFeature("MODBUS_TCP_SERVER", kernel);
    const now = this.#running?.settings;
    if (wanted && now?.port === settings.port && String(now.allow) === String(settings.allow)) return;
    this.#cancelRetry();
    await this.#running?.server.close();
    this.#running = undefined;
    if (!wanted) {
      this.#problem = null;
      return;
    }
    const server = new ModbusTcpServer({
      host,
      port: settings.port,
      allow: settings.allow,
      clients: limits.modbusClients,
      idleMs: limits.modbusIdleMs,
      unreadBytes: limits.modbusUnreadBytes,
      answer: (client, request) => this.#answer(client, request),
    });
    await server.listen();
    this.#running = { server, settings };
    this.#problem = null;
    this.#failures = 0;
    logger.info({ port: server.port }, "the Modbus TCP server listens");
  }

  async #answer(client: string, { unit, pdu }: Asked): Promise<Buffer> {
    const question = readRequest(pdu);
    if (typeof question === "number") return refusalOf(pdu, question);
    const answer = await this.#answerTo(question, unit, client, pdu);
    return typeof answer === "number" ? refusalOf(pdu, answer) : answer;
  }

  async #answerTo(question: Question, unit: number, client: string, pdu: Buffer): Promise<Buffer | Refusal> {
    if (question.kind === "identify") return identificationOf(question, this.#objects());
    if (question.kind === "read") return this.#read(unit, question.code, question);
    const commands = this.#image.write(unit, question, this.#stateOf, this.#awaited());
    if (typeof commands === "number") return commands;
    const { read } = question;
    // Nothing is written when what is asked with it cannot be read.
    const before = read && this.#image.read(unit, { table: "holding", ...read }, this.#stateOf);
    if (typeof before === "number") return before;
    const refused = await this.#submit(client, commands);
    if (refused !== undefined) return refused;
    return read ? this.#read(unit, question.code, { table: "holding", ...read }) : writtenOf(pdu, question);
  }

  #read(unit: number, code: number, of: Parameters<Image["read"]>[1]): Buffer | Refusal {
    const values = this.#image.read(unit, of, this.#stateOf);
    return typeof values === "number" ? values : valuesOf(code, values);
  }

  async #submit(client: string, commands: readonly Command[]): Promise<Refusal | undefined> {
    const { kernel, logger, clock } = this.#host;
    if (commands.length === 0) return undefined;
    const now = clock.monotonic();
    if (this.#commands.rate.take(this.#commands.of(client, now), now, commands.length) > 0)
      return refusals.serverBusy;
    try {
      const outcome = await kernel.submit({ commands, origin: `modbus:${client}` });
      if (outcome.accepted) return undefined;
      return outcome.rejection.rejected === "not-found" ? refusals.illegalAddress : refusals.illegalValue;
    } catch (error) {
      if (isReadOnly(error)) return refusals.serverBusy;
      logger.error({ reason: (error as Error).message }, "a Modbus client's command was not stored");
      return refusals.serverFailure;
    }
  }

  readonly #stateOf = (id: string): Readonly<Record<string, unknown>> | undefined =>
    this.#host.kernel.get("device", id)?.state;

  /** What devices have been told and not yet answered; nothing is foreseen of what is no setting. */
  #awaited(): AwaitedOf {
    const pending = [...this.#host.kernel.all("command")].map(([, each]) => each);
    const byDevice = Map.groupBy(pending, ({ device }) => device);
    return (id) => {
      const own = byDevice.get(id);
      if (own === undefined) return undefined;
      return own.every(({ absolute }) => absolute)
        ? Object.assign({}, ...own.map(({ attributes }) => attributes))
        : {};
    };
  }

  #objects(): Objects {
    const { kernel, version } = this.#host;
    const [[, hub] = []] = [...kernel.all("hub")];
    return new Map([
      [0, "Ledge"],
      [1, "LEDGE"],
      [2, version],
      [4, "Ledge hub"],
      [6, hub?.name ?? ""],
    ]);
  }
}

/** What changes whether the server listens, and what it shows. */
const changing: ReadonlySet<string> = new Set(["ModbusServerSet", "ModbusMappingsSet", ...featureEvents]);
