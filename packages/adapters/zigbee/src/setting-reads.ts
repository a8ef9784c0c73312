import type { ConfigurationValues } from "@ledge/model";
import type { AdapterClock, AdapterLog } from "@ledge/port";
import type { Chores } from "./chores.ts";
import { Courses } from "./courses.ts";
import type { Descriptions } from "./descriptions.ts";
import { faultOf, isFinal } from "./fault.ts";
import type { Hearing } from "./hearing.ts";
import { questionsOf } from "./map/exposes/questions.ts";
import { isMains } from "./node.ts";
import type { Node, Nodes } from "./nodes.ts";
import type { Radio } from "./radio.ts";
import type { Sending } from "./sending.ts";
import type { Unit, ZclRead } from "./map/index.ts";
import { scheduleQuestions, unread } from "./map/index.ts";

/** How many values a device is asked for: each is a frame, and some definitions list hundreds. */
const mostQuestions = 48;
/** The pause after each question to a device on mains, ms. */
const betweenMs = 1000;
/** Pauses after failures, ms; then the device is not asked until the next start. */
const pausesMs = [10_000, 60_000, 300_000, 1_800_000];
/** How often a sleeping device that does not answer is asked: each question costs it power. */
const mostAsleep = 24;

/** A question to a device. */
interface Question {
  readonly name: string;
  readonly ask: () => Promise<void>;
}

interface Course {
  readonly questions: Question[];
  failures: number;
  cancel: () => void;
}

/** Options of `SettingReads`. */
export interface SettingReadsOptions {
  readonly clock: AdapterClock;
  readonly log: AdapterLog;
  readonly radio: Radio;
  readonly hearing: Hearing;
  readonly chores: Chores;
  readonly sending: Sending;
  readonly nodes: Nodes;
  readonly descriptions: Descriptions;
  /** Called when a node turns out to have more than its former units. */
  readonly grown: (node: Node, former: readonly Unit[]) => Promise<void>;
}

/**
 * Asks devices for settings and facts that the hub does not know yet, and for other values that nobody reports: one after
 * another, behind all other work. A sleeping device is asked when it is heard.
 */
export class SettingReads {
  readonly #options: SettingReadsOptions;
  readonly #courses = new Courses<Course>();

  constructor(options: SettingReadsOptions) {
    this.#options = options;
  }

  /** Starts to ask a device whose set-up is complete. Ends earlier questions to it. */
  begin(node: Node): void {
    this.forget(node.ieee);
    const questions = this.#questionsOf(node).slice(0, mostQuestions);
    if (questions.length === 0) return;
    this.#courses.begin(node.ieee, { questions, failures: 0, cancel: () => {} });
    this.#next(node);
  }

  forget(ieee: string): void {
    this.#courses.end(ieee);
  }

  /** The network is down. */
  stop(): void {
    this.#courses.endAll();
  }

  #questionsOf(node: Node): readonly Question[] {
    const { radio, descriptions } = this.#options;
    const { properties } = node;
    const asked = node.keptUnits.flatMap((unit): readonly Question[] => {
      const [known, values] = [descriptions.valuesOf(node, unit), node.valuesOf(unit)];
      const { settings = [], extras = [] } = unit.known ?? {};
      const ofModel = questionsOf({ settings, extras, known, properties, values }).map((question) => ({
        name: `${question.key} ${question.endpointName ?? ""}`,
        ask: () => radio.use(async () => await node.model?.get(question)),
      }));
      return [...ofModel, ...this.#daysOf(node, unit, known)];
    });
    const facts = unread(node.keptUnits).map((read) => ({
      name: `${read.endpoint} ${read.cluster} ${read.attributes.join()}`,
      ask: () => this.#askFacts(node, read),
    }));
    return [...new Map([...asked, ...facts].map((each) => [each.name, each])).values()];
  }

  /** Asks for what tells which settings and readings a device has. */
  async #askFacts(node: Node, read: ZclRead): Promise<void> {
    const former = node.units;
    try {
      await this.#options.sending.once(node, read);
    } finally {
      // An answer that refuses some of the attributes tells the others.
      await this.#lookAgain(node, former);
    }
  }

  async #lookAgain(node: Node, former: readonly Unit[]): Promise<void> {
    const { radio, nodes, descriptions, grown } = this.#options;
    const device = radio.device(node.ieee);
    if (device === undefined) return;
    nodes.lookAgain(node, device);
    descriptions.announceNews(node);
    await grown(node, former);
  }

  /** Asks for the days of a schedule; the answer arrives as a message of the device. */
  #daysOf(node: Node, unit: Unit, known: ConfigurationValues): readonly Question[] {
    return scheduleQuestions(unit, known).map((question) => ({
      name: `${unit.native} ${JSON.stringify(question)}`,
      ask: () => this.#options.sending.once(node, question),
    }));
  }

  #next(node: Node): void {
    this.#options.chores.add(`ask ${node.ieee} for settings`, () => this.#ask(node));
  }

  async #ask(node: Node): Promise<void> {
    const course = this.#courses.get(node.ieee);
    const question = course?.questions.shift();
    if (course === undefined || question === undefined || !node.isMember) return this.forget(node.ieee);
    course.cancel();
    const { clock, log } = this.#options;
    try {
      await question.ask();
    } catch (error) {
      const fault = faultOf(error);
      const fields = { native: node.ieee, question: question.name, reason: fault.message };
      log("debug", "a device did not tell a setting", fields);
      if (this.#courses.isCurrent(node.ieee, course) && !isFinal(fault))
        return this.#askAgain(node, course, question);
    }
    if (!this.#courses.isCurrent(node.ieee, course)) return;
    if (isMains(node.facts)) course.cancel = clock.after(betweenMs, () => this.#next(node));
    else this.#next(node);
  }

  /** Asks a question again later, or gives up after many failures. */
  #askAgain(node: Node, course: Course, question: Question): void {
    const { clock, hearing } = this.#options;
    course.questions.unshift(question);
    const pauseMs = pausesMs[course.failures];
    course.failures += 1;
    // A sleeping device is asked while it is awake, in its own time.
    if (!isMains(node.facts) && course.failures < mostAsleep)
      course.cancel = hearing.next(node.ieee, () => void this.#ask(node));
    else if (pauseMs === undefined) this.forget(node.ieee);
    else course.cancel = clock.after(pauseMs, () => this.#next(node));
  }
}
