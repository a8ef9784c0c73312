/** Limits of custom rules, and of trying rules; part of `limits`. */
export const ruleLimits = {
  /** Levels of an expression of a custom rule, names in a path of `var`, and operands of one operator. */
  expressionDepth: 24,
  expressionPath: 8,
  expressionOperands: 64,
  /** A text that a custom rule says, and one that stands in an expression. */
  ruleTextChars: 300,
  /** Custom rules that are installed, the source of one, and how deep it is nested. */
  customRules: 20,
  customRuleBytes: 65_536,
  customRuleNesting: 128,
  ruleStates: 64,
  ruleStateDepth: 6,
  /** How much of the past a custom rule is tried on before it is installed. */
  ruleDryRunMs: 604_800_000,
  /** Entries of one answer of a rule's log, and unless somebody says. */
  ruleLogEntries: 1000,
  ruleLogUsual: 100,
  ruleTests: 50,
  ruleTestSteps: 200,
  /** What a machine of a custom rule keeps, and how long it may wait in a state (ms). */
  ruleContextBytes: 8192,
  ruleAfterMinMs: 100,
  ruleAfterMaxMs: 31_622_400_000,
  /** Work of one step of a custom rule: a unit is a part of an expression, some 50 to 150 ns. */
  ruleStepUnits: 20_000,
  /** What a custom rule may do on average over so many steps: some 50 to 150 us each. */
  ruleMeanUnits: 1000,
  ruleMeanSteps: 100,
  /** Steps of a custom rule's machine by its timers; one that sets several timers is as many. */
  ruleTimersPerMinute: 120,
  /** Work of all that is tried before a custom rule is installed. */
  ruleTrialUnits: 4_000_000,

  // what-if and proposals
  /** Of each list of a what-if's answer; and how far apart (ms) commands may be that are the same. */
  whatIfItems: 500,
  whatIfSameMs: 1000,
  /** Timestamps of commits run ahead of the clock: a timer that is due so shortly before one may come after it. */
  whatIfLeadMs: 20,
  /** Rules that are tried at once, and those that they replace; and how long it may take. */
  whatIfRules: 20,
  whatIfBudgetMs: 30_000,
  /** Proposals of one answer, unless somebody says, and of one kind of rule unless it was asked for. */
  proposals: 50,
  proposalsUsual: 5,
  proposalsOfType: 2,
  /** Of them so many are tried on this time. */
  proposalTrials: 8,
  proposalTrialMs: 604_800_000,
} as const;
