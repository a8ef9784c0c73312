import type { ModbusTcp, ModbusTcpStatus } from "@ledge/api";
import type { Clock, Kernel } from "@ledge/kernel";
import { isReadOnly } from "@ledge/kernel";
import type { Command, ModbusServer } from "@ledge/model";
import { defaultModbusServer, hasFeature, limits, modbusServerId } from "@ledge/model";
import type { Logger } from "@ledge/host/logger";
import { identificationOf, type Objects, refusalOf, valuesOf, writtenOf } from "./answers.ts";
import type { Asked } from "./frames.ts";
import { Image } from "./image.ts";
import type { Question, Refusal } from "./requests.ts";
import { readRequest, refusals } from "./requests.ts";
import { ModbusTcpServer, type ServerFigures } from "./server.ts";

export interface ModbusServiceHost {
  readonly kernel: Kernel;
  readonly clock: Clock;
  readonly logger: Logger;
  /** The address to listen on. */
  readonly host: string;
  readonly version: string;
}

type Running = { readonly server: ModbusTcpServer; readonly settings: ModbusServer };

const idle: ServerFigures = { clients: 0, requests: 0, refused: 0, garbled: 0 };
const retryMs = 10_000;

/**
 * The hub's Modbus TCP server: listens while the feature is on and it is enabled, shows the attributes of devices as
 * its mappings say, and turns what clients write into commands of theirs. Changes of settings take effect at once.
 */
export class ModbusService implements ModbusTcp {
  readonly #host: ModbusServiceHost;
  #running: Running | undefined;
  #image = new Image([]);
  #mappings: ModbusServer["mappings"] = [];
  #problem: string | null = null;
  #turn: Promise<void> = Promise.resolve();
  #unsubscribe: () => void = () => {};
  #cancelRetry: () => void = () => {};
  #stopped = false;

  constructor(host: ModbusServiceHost) {
    this.#host = host;
  }

  status(): ModbusTcpStatus {
    const { server } = this.#running ?? {};
    return { listening: server?.port ?? null, problem: this.#problem, ...(server?.figures ?? idle) };
  }

  start(): void {
    this.#unsubscribe = this.#host.kernel.subscribe({
      published: ({ events }) => {
        if (events.some(({ type }) => changing.has(type))) this.#adapt();
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
    this.#turn = this.#turn.then(() => this.#toSettings());
  }

  async #toSettings(): Promise<void> {
    const { kernel, logger, host, clock } = this.#host;
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
    this.#problem = null;
    if (!wanted) return;
    const server = new ModbusTcpServer({
      host,
      port: settings.port,
      allow: settings.allow,
      clients: limits.modbusClients,
      idleMs: limits.modbusIdleMs,
      unreadBytes: limits.modbusUnreadBytes,
      answer: (client, request) => this.#answer(client, request),
    });
    try {
      await server.listen();
      this.#running = { server, settings };
      logger.info({ port: server.port }, "the Modbus TCP server listens");
    } catch (error) {
      this.#problem = (error as Error).message;
      logger.warn({ reason: this.#problem }, "the Modbus TCP server cannot listen");
      this.#cancelRetry = clock.after(retryMs, () => this.#adapt());
    }
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
    const commands = this.#image.write(unit, question, this.#stateOf);
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
    const { kernel, logger } = this.#host;
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
const changing: ReadonlySet<string> = new Set([
  "ModbusServerSet",
  "ModbusMappingsSet",
  "FeaturesSet",
  "FeaturesActivated",
]);
