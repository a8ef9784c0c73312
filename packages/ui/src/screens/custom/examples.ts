import type { Key } from "../../texts/texts.ts";

const any = (field: string): object => ({ type: "expr", params: { expr: { any: field } } });
const none = (field: string): object => ({ type: "expr", params: { expr: { "!": { any: field } } } });
const command = (output: string, op: string): object => ({ type: "cmd", params: { output, op } });
const lamps = (description: string): object => ({
  capabilities: ["ON_OFF"],
  minCount: 1,
  maxCount: 8,
  description,
});

/** The simplest rule: lamps do what another does. */
const follow = {
  type: "CUSTOM_RULE",
  configType: "CUSTOM_FOLLOW",
  template: {
    type: "TEMPLATE",
    name: "Follow",
    summary: "Lamps go on and off with another one",
    inputs: { lead: lamps("Leading lamps") },
    outputs: { lamps: lamps("Lamps that follow") },
  },
  machine: {
    initial: "dark",
    states: {
      dark: { tags: ["idle"], entry: command("lamps", "off"), always: { guard: any("lead"), target: "lit" } },
      lit: { entry: command("lamps", "on"), always: { guard: none("lead"), target: "dark" } },
    },
  },
  tests: [
    {
      name: "the lamps follow",
      devices: {
        hall: { field: "lead", state: { isOn: false } },
        stairs: { field: "lamps", state: { isOn: false } },
      },
      steps: [
        { report: { hall: { isOn: true } }, commands: { stairs: { isOn: true } }, state: "lit" },
        { report: { hall: { isOn: false } }, commands: { stairs: { isOn: false } }, state: "dark" },
      ],
    },
  ],
};

/** A rule with a time and a value to set. */
const linger = {
  type: "CUSTOM_RULE",
  configType: "CUSTOM_LINGER",
  template: {
    type: "TEMPLATE",
    name: "Linger",
    summary: "Lamps go on with another one and stay on for a while after it",
    inputs: { lead: lamps("Leading lamps") },
    outputs: { lamps: lamps("Lamps that follow") },
    extras: {
      linger: {
        fieldType: "TIME_DELTA_MS",
        minValue: 500,
        maxValue: 3_600_000,
        defaultValue: 30_000,
        description: "How long they stay on",
      },
    },
  },
  machine: {
    initial: "dark",
    context: { times: 0 },
    states: {
      dark: { tags: ["idle"], always: { guard: any("lead"), target: "lit" } },
      lit: {
        entry: [
          command("lamps", "on"),
          { type: "set", params: { name: "times", value: { "+": [{ var: "ctx.times" }, 1] } } },
        ],
        always: { guard: none("lead"), target: "glowing" },
      },
      glowing: {
        always: { guard: any("lead"), target: "lit" },
        after: {
          "cfg.linger": {
            target: "dark",
            actions: [
              command("lamps", "off"),
              { type: "log", params: { text: "dark again, {ctx.times} times so far" } },
            ],
          },
        },
      },
    },
  },
  tests: [
    {
      name: "the lamps stay on for a while",
      devices: {
        hall: { field: "lead", state: { isOn: false } },
        stairs: { field: "lamps", state: { isOn: false } },
      },
      extras: { linger: 10_000 },
      steps: [
        { report: { hall: { isOn: true } }, commands: { stairs: { isOn: true } }, state: "lit" },
        { report: { hall: { isOn: false } }, pass: 9999, state: "glowing" },
        {
          pass: 1,
          commands: { stairs: { isOn: false } },
          says: ["dark again, 1 times so far"],
          state: "dark",
        },
      ],
    },
  ],
};

const written = (source: object): string => `${JSON.stringify(source, null, 2)}\n`;

/** Sources to begin with, by the text that names them. */
export const examples: readonly { readonly name: Key; readonly source: string }[] = [
  { name: "custom.follow", source: written(follow) },
  { name: "custom.linger", source: written(linger) },
];
