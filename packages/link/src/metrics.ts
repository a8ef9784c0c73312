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

/** How requests of one kind are called in metrics. */
export interface RequestFamily {
  readonly count: Pick<Metric, "name" | "help">;
  /** Its name ends in `_seconds`. */
  readonly duration: Pick<Metric, "name" | "help">;
  /** The labels of what was asked for, and of how it ended. */
  readonly labels: readonly [row: string, result: string];
}

/** Requests of HTTP, by row and status. */
const httpRequests: RequestFamily = {
  count: { name: "ledge_http_requests_total", help: "Requests answered." },
  duration: { name: "ledge_http_request_duration_seconds", help: "Time to an answer." },
  labels: ["row", "status"],
};

/** The requests of one row: their number by result, such as a status, and their durations. */
export class RowFigures {
  readonly counts = new Map<number | string, number>();
  count = 0;
  sumS = 0;
  readonly buckets: number[] = boundsS.map(() => 0);

  /** @param result one of a bounded number */
  observe(result: number | string, ms: number): void {
    this.counts.set(result, (this.counts.get(result) ?? 0) + 1);
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
  readonly #family: RequestFamily;

  constructor(family: RequestFamily = httpRequests) {
    this.#family = family;
  }

  /** @param name method and path of the row, never of a request, because the number of rows is bounded */
  of(name: string): RowFigures {
    let row = this.#rows.get(name);
    if (row === undefined) this.#rows.set(name, (row = new RowFigures()));
    return row;
  }

  /** Returns the metrics in the Prometheus text format, version 0.0.4. */
  render(): string {
    const { count: counted, duration, labels } = this.#family;
    const [rowLabel, resultLabel] = labels;
    const requests: Metric = {
      ...counted,
      type: "counter",
      samples: [...this.#rows].flatMap(([row, { counts }]) =>
        [...counts].map(([result, value]) => {
          return { labels: { [rowLabel]: row, [resultLabel]: String(result) }, value };
        }),
      ),
    };
    const { name, help } = duration;
    const lines = [`# HELP ${name} ${help}`, `# TYPE ${name} histogram`];
    for (const [row, { count, sumS, buckets }] of this.#rows) {
      if (count === 0) continue;
      const of = { [rowLabel]: row };
      let sum = 0;
      for (const [index, bound] of boundsS.entries()) {
        sum += buckets[index] ?? 0;
        lines.push(line(`${name}_bucket`, { ...of, le: String(bound) }, sum));
      }
      lines.push(line(`${name}_bucket`, { ...of, le: "+Inf" }, count));
      lines.push(line(`${name}_sum`, of, sumS), line(`${name}_count`, of, count));
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
