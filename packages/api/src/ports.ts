import type { Clock, Kernel, Outcome, Submission } from "@ledge/kernel";
import type { KeySet, Metric, Web } from "@ledge/link";
import type {
  Command,
  HubFacts,
  HubUser,
  InstallCustomRule,
  Language,
  LocalKey,
  Rejection,
  RuleConfigRequest,
  RuleDiagram,
  RuleTemplate,
} from "@ledge/model";
import type { EventStreams } from "./event-streams.ts";
import type { DryRun } from "./dry-run.ts";
import type { Asker, PastReader } from "./past-questions.ts";
import type { HubUpdate } from "./hub-update.ts";
import type { Logins } from "./logins.ts";
import type { PollWaits } from "./poll-waits.ts";
import type { Refused } from "./refused.ts";
import type { RuleProposal } from "./rule-proposal.ts";

/** What the API asks of the hub process. Nothing else of it is visible here. */
export interface HubPorts {
  readonly kernel: Kernel;
  readonly clock: Clock;
  /** Id of the one `hub` aggregate: what HUB_META_DATA calls hubId and a HubKey's `aud` names. */
  readonly hubId: string;
  /** What of HUB_META_DATA (hub-api 2.1) only the running process knows. `version` never changes. */
  meta(): HubMeta;
  readonly presence: Presence;
  readonly claim: ClaimPolicy;
  /** Public keys of whoever issues HubKeys and activation codes for this hub; none while it has no issuer. */
  issuerKeys(): KeySet;
  /** The open event streams, one set for all listeners. The hub closes it when it stops. */
  readonly streams: EventStreams;
  /** The polls that wait for news, one set for all listeners. The hub closes it when it stops. */
  readonly pollWaits: PollWaits;
  /** Figures of the process for `/metrics`, beside the API's own. Counts only, nothing personal. */
  metrics(): readonly Metric[];
  /** Opens `/metrics` to a scraper without a HubKey; null when none is configured. */
  readonly scrapeToken: string | null;
  /** Names by which clients may call the hub: its mDNS name and configured ones, lower case, no port. */
  hostNames(): readonly string[];
  /**
   * Carries out commands that only switch devices, while nothing can be recorded.
   * @returns undefined when they would do more, or no radio takes them
   */
  switchUnrecorded(submission: Submission): Outcome | undefined;
  /** Whether the hub may ask an IP address: not this machine, nor its links, unless its profile allows that. */
  mayAsk(address: string): boolean;
  /** Asks an IP address for its start page. */
  probe(address: string, port: number): Promise<Probed>;
  /**
   * The protocols whose adapters answer requests of a type. Waits until each adapter of the profile has reported
   * what it offers or has failed to start, `limits.offersKnownMs` at most.
   * @param among default: requests of the hub
   */
  offering(type: string, among?: Asking["among"]): Promise<readonly string[]>;
  /**
   * Has an adapter answer a request: the first that offers its type, or that of a given protocol. Waits for adapters
   * that start as `offering` does.
   * @returns what came of it; undefined where no adapter of this hub offers it.
   */
  ask(request: AdapterRequest, asking: Asking): Promise<RequestOutcome | undefined>;
  readonly sticks: Sticks;
  readonly modbusServer: ModbusTcp;
  /** What rules can be made of on this hub, with the features that it has. */
  ruleTemplates(language: Language): readonly RuleTemplate[];
  /**
   * Why PUT /rules would not take CONFIGs in the place of rules; undefined where it would. Its field begins with
   * `rules.<index>` or `replaces.<index>`.
   */
  ruleRefusal(configs: readonly RuleConfigRequest[], replaces: readonly string[]): Rejection | undefined;
  readonly proposeRules: ProposeRules;
  /** The command that installs the source of a custom rule, or why it cannot be installed. */
  installing(source: string): InstallCustomRule | Rejection;
  /**
   * What rules of a custom rule that is to be installed would have done lately: the home's own, or one of the first
   * devices that fit; null where none do.
   * @returns a refusal where the home's own would have failed
   */
  dryRun(command: InstallCustomRule, asker: Asker, signal: AbortSignal): Promise<DryRun | Refused | null>;
  /**
   * The machine of a rule as it stands, of a template, or of the source of a custom rule; undefined where there is
   * none; why a source cannot be read.
   */
  ruleDiagram(
    of: { readonly ruleId: string } | { readonly type: string } | { readonly source: string },
  ): RuleDiagram | Rejection | undefined;
  readonly machine: Machine;
  /** Browsers that wait to be let in, one set for all listeners. */
  readonly logins: Logins;
  readonly localKeys: LocalKeys;
  /** How the hub fares now. */
  health(): Promise<HubFacts>;
  readonly backups: Backups;
  readonly updates: HubUpdates;
  readonly processLog: ProcessLog;
  readonly web: Web;
  readonly past: PastReader;
  readonly remoteCalls: RemoteCalls;
  readonly log: ApiLog;
}

/** Rules that might be made of the devices that somebody may read, the best first. */
export type ProposeRules = (
  wanted: {
    readonly devices: readonly string[];
    readonly room: string | null;
    readonly max: number;
    readonly configType: string | null;
  },
  asker: Asker,
  signal: AbortSignal,
) => Promise<readonly RuleProposal[]>;

/** The hub's Modbus TCP server. */
export interface ModbusTcp {
  /** What it does now. */
  status(): ModbusTcpStatus;
  /** Resolves when the settings that are published now are in force. */
  settled(): Promise<void>;
}

export interface ModbusTcpStatus {
  /** The port on which it listens; null while it does not. */
  readonly listening: number | null;
  /** Why it does not listen although it should. */
  readonly problem: string | null;
  readonly clients: number;
  readonly requests: number;
  /** Connections of who may not connect, and beyond the limit; and of who spoke something else. */
  readonly refused: number;
  readonly garbled: number;
}

/** The serial ports of the machine, and which adapters use what is at them. */
export interface Sticks {
  /** What is there now, and what is in use although it is not. */
  list(): Promise<readonly PortedStick[]>;
  /** The command that gives an adapter a stick, or why it cannot have it. */
  taking(wanted: StickWanted): Promise<Command | Refused>;
}

/** A serial port with what is at it, or a stick that is reached over the network. */
export interface PortedStick {
  /** What it is opened by, or `tcp://host:port`. */
  readonly port: string;
  /** Such as `/dev/ttyUSB0`; null unless it is there. */
  readonly node: string | null;
  /** Null: nobody can tell without opening it. */
  readonly isThere: boolean | null;
  /** What it is taken for, and how sure that is. */
  readonly model: string | null;
  readonly certainty: "sure" | "likely" | "unsure" | null;
  readonly protocol: string | null;
  readonly driver: string | null;
  readonly vendorId: string | null;
  readonly productId: string | null;
  readonly manufacturer: string | null;
  readonly product: string | null;
  readonly serialNumber: string | null;
  /** The protocol whose adapter uses it. */
  readonly usedBy: string | null;
}

/** Left out: what is known of the stick. */
export interface StickWanted {
  readonly port: string;
  readonly protocol: string;
  readonly driver?: string;
  readonly baudRate?: number;
  readonly rtscts?: boolean;
}

/** What the hub's process has logged; secrets are left out. */
export interface ProcessLog {
  /** Lines of text, read as the reader takes them; undefined while too many others read. */
  open(): ReadableStream<Uint8Array> | undefined;
}

/** A backup that the hub keeps in its data folder. */
export interface BackupFile {
  readonly name: string;
  /** ms since the epoch */
  readonly at: number;
  readonly release: string;
  readonly bytes: number;
  /** Sealed with a passphrase; else they are left out. */
  readonly hasSecrets: boolean;
}

/** The backups that the hub keeps. */
export interface Backups {
  /** The newest first. */
  list(): readonly BackupFile[];
  make(passphrase: string): Promise<BackupFile | Refused>;
  /** Undefined for one that is not there. */
  read(name: string): ReadableStream<Uint8Array> | undefined;
}

/** Updates of the machine that the hub runs on. */
export interface HubUpdates {
  status(): HubUpdate;
  /** Looks whether there is a newer release. @returns why that cannot be told */
  check(): Promise<Refused | undefined>;
  /** Why it cannot be begun; undefined where it can. */
  problem(action: "INSTALL" | "ROLL_BACK"): string | undefined;
  /** Begins it; `status` says how it goes. The machine reboots. @returns why it has not begun */
  begin(action: "INSTALL" | "ROLL_BACK"): Promise<Refused | undefined>;
}

/** What can be done to the hub's process and to the machine that it runs on. */
export type MachineAct = "restart" | "reboot" | "shutdown";

export interface Machine {
  /** Why it cannot be done here; undefined where it can. */
  refusal(act: MachineAct): string | undefined;
  /** Begins it when what is answered in this turn has gone out. */
  begin(act: MachineAct): void;
}

/** What is behind an IP address: something that answers, nobody, or no such way. */
export type Probed = "answered" | "refused" | "timeout" | "failed";

/** Plain data for an adapter. */
export interface AdapterRequest {
  readonly type: string;
  readonly [field: string]: unknown;
}

export interface Asking {
  /** Which requests it may be: those that clients send by themselves, or those of the hub. */
  readonly among: "protocolCommands" | "requests";
  readonly protocol?: string;
  /** Default: `limits.requestMs`. */
  readonly timeoutMs?: number;
}

/** `code`: an `AdapterErrorCode` of the port. */
export type RequestOutcome =
  | { readonly answered: true; readonly value: unknown }
  | { readonly answered: false; readonly code: string; readonly message: string };

export interface HubMeta {
  /** Four components, such as 1.14.15.1; the first two are the path prefix (hub-api 9). */
  readonly version: string;
  readonly connected: boolean;
  /** The address of the cloud that the hub belongs to; null without one. */
  readonly cloud: string | null;
}

/** Who has called what through the relay. */
export interface RemoteCalls {
  /**
   * A request of the listener `remote` was answered.
   * @param user as its HubKey names it; null while no HubKey has verified.
   * @param row as `rowName`; null where there is none.
   * @param status of HTTP.
   */
  called(user: string | null, row: string | null, status: number): void;
}

/** Keys that the hub signs itself. */
export interface LocalKeys {
  /** Why the hub cannot sign; undefined where it can. */
  problem(): string | undefined;
  /** Signs the key of a record, with the role that its user has now. */
  sign(record: LocalKey, user: HubUser): Promise<string>;
}

/** When and from where a hub without an owner may be claimed. */
export interface ClaimPolicy {
  /** Why the hub cannot be claimed now, and what opens it; undefined while it can. */
  closed(): string | undefined;
  /** How long it still can (ms). */
  openForMs(): number;
  /** Returns why a setup code does not claim it; undefined for the one that the hub shows. */
  wrongCode(code: string): Refused | undefined;
  /** Origins of web pages beside the hub's own that may claim it, such as `https://setup.example.org`. */
  readonly origins: readonly string[];
  /**
   * Has it established who is behind an email address, and nobody else claim the hub meanwhile.
   * @param make makes the owner, who has that id
   * @returns what `make` does, or why nobody can say
   */
  establish<T>(email: string, make: (userId: string) => Promise<T>): Promise<T | Refused>;
}

export interface Presence {
  /**
   * A user's client has polled.
   * @param client the client's own stable id (the query parameter that ends in `_uuid`), or null.
   * @param language the one that the client asks for, or null.
   */
  polled(user: string, client: string | null, language: Language | null): void;
}

export type ApiLog = (
  level: "warn" | "error",
  message: string,
  fields: Readonly<Record<string, unknown>>,
) => void;
