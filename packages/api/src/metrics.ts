/** A figure with its labels. */
export interface Sample {
  readonly labels?: Readonly<Record<string, string>>;
  readonly value: number;
}

/** A family of figures. A counter's name ends in `_total`; units are base units: seconds, bytes. */
export interface Metric {
  readonly name: string;
  readonly help: string;
  readonly type: "counter" | "gauge";
  readonly samples: readonly Sample[];
}

/** Upper bounds (s) of the buckets of request durations. */
const boundsS = [0.001, 0.005, 0.025, 0.1, 0.5, 2.5] as const;

interface Durations {
  count: number;
  sumS: number;
  readonly buckets: number[];
}

/** Counts requests by row and status, and how long they took by row. */
export class RequestFigures {
  readonly #counts = new Map<string, Map<number, number>>();
  readonly #durations = new Map<string, Durations>();

  /** @param name method and path of the row, never of the request: the number of rows is bounded. */
  observe(name: string, status: number, ms: number): void {
    let byStatus = this.#counts.get(name);
    if (byStatus === undefined) this.#counts.set(name, (byStatus = new Map()));
    byStatus.set(status, (byStatus.get(status) ?? 0) + 1);
    let durations = this.#durations.get(name);
    if (durations === undefined) {
      this.#durations.set(name, (durations = { count: 0, sumS: 0, buckets: boundsS.map(() => 0) }));
    }
    const seconds = ms / 1000;
    durations.count++;
    durations.sumS += seconds;
    for (let bucket = 0; bucket < boundsS.length; bucket++) {
      if (seconds > (boundsS[bucket] as number)) continue;
      (durations.buckets[bucket] as number)++;
      return;
    }
  }

  /** The text exposition format of Prometheus, version 0.0.4. */
  render(): string {
    const requests: Metric = {
      name: "ledge_http_requests_total",
      help: "Requests answered.",
      type: "counter",
      samples: [...this.#counts].flatMap(([row, byStatus]) =>
        [...byStatus].map(([status, value]) => ({ labels: { row, status: String(status) }, value })),
      ),
    };
    const name = "ledge_http_request_duration_seconds";
    const lines = [`# HELP ${name} Time to an answer.`, `# TYPE ${name} histogram`];
    for (const [row, { count, sumS, buckets }] of this.#durations) {
      let sum = 0;
      for (const [index, bound] of boundsS.entries()) {
        sum += buckets[index] ?? 0;
        lines.push(line(`${name}_bucket`, { row, le: String(bound) }, sum));
      }
      lines.push(line(`${name}_bucket`, { row, le: "+Inf" }, count));
      lines.push(line(`${name}_sum`, { row }, sumS), line(`${name}_count`, { row }, count));
    }
    return `${renderMetrics([requests])}${lines.join("\n")}\n`;
  }
}

/** Metrics as Prometheus text. */
export function renderMetrics(metrics: readonly Metric[]): string {
  const lines: string[] = [];
  for (const { name, help, type, samples } of metrics) {
    lines.push(`# HELP ${name} ${escape(help)}`, `# TYPE ${name} ${type}`);
    for (const { labels = {}, value } of samples) lines.push(line(name, labels, value));
  }
  return lines.map((text) => `${text}\n`).join("");
}

function line(name: string, labels: Readonly<Record<string, string>>, value: number): string {
  const pairs = Object.entries(labels).map(
    ([key, text]) => `${key}="${escape(text).replaceAll('"', '\\"')}"`,
  );
  return `${name}${pairs.length > 0 ? `{${pairs.join(",")}}` : ""} ${numeral(value)}`;
}

function escape(text: string): string {
  return text.replaceAll("\\", "\\\\").replaceAll("\n", "\\n");
}

function numeral(value: number): string {
  if (Number.isFinite(value)) return String(value);
  return Number.isNaN(value) ? "NaN" : value > 0 ? "+Inf" : "-Inf";
}
