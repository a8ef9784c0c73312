/** A value with its labels. */
export interface Sample {
  readonly labels?: Readonly<Record<string, string>>;
  readonly value: number;
}

/** A family of values. A counter's name ends in `_total`; units are base units: seconds, bytes. */
export interface Metric {
  readonly name: string;
  readonly help: string;
  readonly type: "counter" | "gauge";
  readonly samples: readonly Sample[];
}

/** Returns a gauge with one value. */
export function gauge(name: string, help: string, value: number): Metric {
  return { name, help, type: "gauge", samples: [{ value }] };
}

/** Returns a counter with one value. */
export function counter(name: string, help: string, value: number): Metric {
  return { name, help, type: "counter", samples: [{ value }] };
}

/** Upper bounds (s) of the buckets of request durations. */
const boundsS = [0.001, 0.005, 0.025, 0.1, 0.5, 2.5] as const;

/** The requests of one row: their number by status, and their durations. */
export class RowFigures {
  readonly counts = new Map<number, number>();
  count = 0;
  sumS = 0;
  readonly buckets: number[] = boundsS.map(() => 0);

  observe(status: number, ms: number): void {
    this.counts.set(status, (this.counts.get(status) ?? 0) + 1);
    const seconds = ms / 1000;
    this.count++;
    this.sumS += seconds;
    for (let bucket = 0; bucket < boundsS.length; bucket++) {
      if (seconds > (boundsS[bucket] as number)) continue;
      (this.buckets[bucket] as number)++;
      return;
    }
  }
}

/** Counts requests by row, for all listeners. */
export class RequestFigures {
  readonly #rows = new Map<string, RowFigures>();

  /** @param name method and path of the row, never of a request, because the number of rows is bounded */
  of(name: string): RowFigures {
    let row = this.#rows.get(name);
    if (row === undefined) this.#rows.set(name, (row = new RowFigures()));
    return row;
  }

  /** Returns the metrics in the Prometheus text format, version 0.0.4. */
  render(): string {
    const requests: Metric = {
      name: "ledge_http_requests_total",
      help: "Requests answered.",
      type: "counter",
      samples: [...this.#rows].flatMap(([row, { counts }]) =>
        [...counts].map(([status, value]) => ({ labels: { row, status: String(status) }, value })),
      ),
    };
    const name = "ledge_http_request_duration_seconds";
    const lines = [`# HELP ${name} Time to an answer.`, `# TYPE ${name} histogram`];
    for (const [row, { count, sumS, buckets }] of this.#rows) {
      if (count === 0) continue;
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

/** Returns metrics as Prometheus text. */
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
