import type { Text } from "../text.ts";

/** The texts of custom rules and of drawings of machines, in English. */
export const custom = {
  "custom.title": "Custom rules",
  "custom.how":
    "A custom rule is a kind of rule of your own: a state machine, written as data. The hub checks it, runs its tests and tries it on the last week before it installs it.",
  "custom.none": "None is installed.",
  "custom.version": "Version {version}, {time}",
  "custom.rules": { one: "{n} rule", other: "{n} rules" },
  "custom.new": "Begin with an example",
  "custom.follow": "Lamps follow another one",
  "custom.linger": "Lamps stay on for a while",
  "custom.source": "Source",
  "custom.line": "Line {line}",
  "custom.check": "Check and try",
  "custom.install": "Install",
  "custom.installed": "{type} is installed",
  "custom.trying": "The hub checks and tries the source.",
  "custom.tests": { one: "Its test passes.", other: "All {n} tests pass." },
  "custom.noTests": "It has no tests.",
  "custom.noDevices": "The home has no devices to try it on.",
  "custom.commands": {
    one: "{n} command, at most {most} within a minute.",
    other: "{n} commands, at most {most} within a minute.",
  },
  "custom.stopped": "The hub would have stopped it: {time}",
  "custom.doings": "What its rules do",
  "custom.noRules": "No rule is of this kind yet.",
  "custom.rule": "Rule",
  "custom.log": "Log",
  "custom.refresh": "Refresh",
  "custom.silent": "It has done and said nothing yet.",
  "diagram.title": "How it works",
  "diagram.live": "Where it stands now",
  "diagram.after": "after {time}",
  "diagram.inWords": "The same in words",
  "diagram.current": "Now in: {states}",
} as const satisfies Readonly<Record<string, Text>>;
