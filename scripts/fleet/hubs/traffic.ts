import type { PostgresServer } from "@ledge/testkit/postgres";
import pg from "pg";
import { round } from "./measured.ts";

/** What a cloud and its servers have said to each other so far. */
export interface Traffic {
  /** Messages that came to the broker, and that it gave to those who wanted them. */
  readonly published: number;
  readonly delivered: number;
  /** Transactions that the database has committed. */
  readonly commits: number;
}

/** Counts what goes between a cloud, its database and its broker. */
export class TrafficCount {
  readonly #monitor: string;
  readonly #client: pg.Client;

  private constructor(monitor: string, client: pg.Client) {
    this.#monitor = monitor;
    this.#client = client;
  }

  /** @param port of the broker's monitor (nats-server -m) */
  static async of(database: PostgresServer, port: number): Promise<TrafficCount> {
    const client = new pg.Client(database.url());
    await client.connect();
    return new TrafficCount(`http://127.0.0.1:${port}/varz`, client);
  }

  /** Returns all until now. Backends of PostgreSQL 15 tell their commits one to ten seconds later: measure for a minute. */
  async now(): Promise<Traffic> {
    const answer = await fetch(this.#monitor);
    const { in_msgs: published, out_msgs: delivered } = (await answer.json()) as Record<string, number>;
    const { rows } = await this.#client.query<{ commits: string }>(
      "SELECT xact_commit AS commits FROM pg_stat_database WHERE datname = current_database()",
    );
    return { published: published ?? 0, delivered: delivered ?? 0, commits: Number(rows[0]?.commits ?? 0) };
  }

  /** Returns how many connections a cloud has to the database. */
  async connections(): Promise<number> {
    const { rows } = await this.#client.query<{ count: string }>(
      "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'ledge-cloud'",
    );
    return Number(rows[0]?.count ?? 0);
  }

  end(): Promise<void> {
    return this.#client.end();
  }
}

/** Returns what was said between two moments, for each of so many. */
export function between(before: Traffic, after: Traffic, count: number): Traffic {
  return {
    published: round((after.published - before.published) / count, 4),
    delivered: round((after.delivered - before.delivered) / count, 4),
    commits: round((after.commits - before.commits) / count, 4),
  };
}
