const aggregated = new Set(["any", "all", "min", "max", "avg", "sum", "count", "seen"]);
const between = new Set(["==", "!=", "<", "<=", ">", ">=", "and", "or", "+", "*", "/", "%", "-"]);

/** Returns an expression in infix notation, such as `any(motion) and max(lux) < cfg.maxLux`. */
export function expressionText(json: unknown): string {
  return text(json, false);
}

function text(json: unknown, isInside: boolean): string {
  if (typeof json !== "object" || json === null) return JSON.stringify(json);
  const [entry] = Object.entries(json);
  if (entry === undefined || Array.isArray(json)) return JSON.stringify(json);
  const [name, given] = entry as [string, unknown];
  if (name === "var") return [given].flat().join(".");
  if (aggregated.has(name) && typeof given === "string") return `${name}(${given})`;
  const operands = (Array.isArray(given) ? (given as unknown[]) : [given]).map((one) => text(one, true));
  if (name === "!") return `not ${operands.join("")}`;
  if (!between.has(name) || operands.length < 2) return `${name}(${operands.join(", ")})`;
  const said = operands.join(` ${name} `);
  return isInside ? `(${said})` : said;
}
