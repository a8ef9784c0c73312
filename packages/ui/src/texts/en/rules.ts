import type { Text } from "../text.ts";

/** The texts of the rules and proposals, in English. */
export const rules = {
  "rules.none": "There are no rules yet.",
  "rules.noneHow": "Choose one of the proposals below.",
  "rules.whyNot": "Why not?",
  "rules.whyNotOf": "Why does {name} do nothing?",
  "rules.remove": "Remove {name}",
  "rules.removed": "{name} is removed",
  "proposals.title": "Proposals",
  "proposals.none": "Nothing to propose. Put devices into rooms: rules join what is in one room.",
  "proposals.try": "What would it have done?",
  "proposals.save": "Save and turn on",
  "proposals.saved": "{name} is on",
  "whatif.title": "What {name} would have done",
  "whatif.count": {
    one: "It would have acted {n} time since {from}.",
    other: "It would have acted {n} times since {from}.",
  },
  "whatif.more": "The first {n} are shown.",
  "rules.new": "New rule",
  "whatif.because": "because of {reason}",
  "whatif.after": "some time after {reason}",
  "whatif.new": { one: "{n} command is new.", other: "{n} commands are new." },
  "whatif.gone": { one: "{n} is missing.", other: "{n} are missing." },
  "whatif.goneWhich": "What it would not have done",
  "whatif.young": "The hub has heard of this home since {from} only: the longer it runs, the more this says.",
} as const satisfies Readonly<Record<string, Text>>;
