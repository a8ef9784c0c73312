/** Limits of custom rules, and of trying rules; part of `limits`. */
export const ruleLimits = {
  /** Levels of an expression in a custom rule, names in a path of `var`, and operands of an operator. */
  expressionDepth: 24,
  expressionPath: 8,
  expressionOperands: 64,
  /** Characters of a text that a custom rule sends or logs, and of one in an expression. */
  ruleTextChars: 300,
  /** Installed custom rules, bytes of a source, and its nesting depth. */
  customRules: 20,
  customRuleBytes: 65_536,
  customRuleNesting: 128,
  ruleStates: 64,
  ruleStateDepth: 6,
  /** The span of the past on which a custom rule is tried before it is installed. */
  ruleDryRunMs: 604_800_000,
  /** Entries of one answer with a rule's log: the most, and the default. */
  ruleLogEntries: 1000,
  ruleLogUsual: 100,
  ruleTests: 50,
  ruleTestSteps: 200,
  /** The context of a custom rule's machine in bytes, and how long it may wait in a state (ms). */
  ruleContextBytes: 8192,
  ruleAfterMinMs: 100,
  ruleAfterMaxMs: 31_622_400_000,
  /** Work of one step of a custom rule: a unit is a part of an expression, some 50 to 150 ns. */
  ruleStepUnits: 20_000,
  /** Mean work of a custom rule over this many steps: some 50 to 150 us each. */
  ruleMeanUnits: 1000,
  ruleMeanSteps: 100,
  /** Steps of a custom rule's machine by its timers; a step that sets several timers counts as several. */
  ruleTimersPerMinute: 120,
  /** Work of the whole trial before a custom rule is installed. */
  ruleTrialUnits: 4_000_000,

  // what-if and proposals
  /** Items of each list in a what-if's answer, and how far apart (ms) equal commands may be. */
  whatIfItems: 500,
  whatIfSameMs: 1000,
  /**
   * Timestamps of commits run ahead of the clock, so a timer due this shortly before a commit may come after
   * it.
   */
  whatIfLeadMs: 20,
  /** Rules in one trial, rules that they replace, and how long the trial may take. */
  whatIfRules: 20,
  whatIfBudgetMs: 30_000,
  /** Proposals in one answer: the most, the default, and the most of one kind of rule unless it was asked for. */
  proposals: 50,
  proposalsUsual: 5,
  proposalsOfType: 2,
  /** How many of them are tried, and on what span. */
  proposalTrials: 8,
  proposalTrialMs: 604_800_000,
} as const;
