import assert from "node:assert/strict";
import type Type from "typebox";
import { Compile } from "typebox/compile";

/** The result of a message. */
export type Result = Readonly<Record<string, unknown>> & {
  readonly type: string;
  readonly error?: {
    readonly code: string;
    readonly message: string;
    readonly details?: Record<string, string>;
  };
};

/** A message: its type and that type's fields. */
type Message = Readonly<Record<string, unknown>> & { readonly type: string };

/** A user of Graph. Every result must match the schema that the cloud publishes for it. */
export class GraphClient {
  readonly #url: string;
  readonly #token: string;
  readonly #schemas: Readonly<Record<string, object>>;
  /** Types that have been answered without an error. */
  readonly #done: Set<string>;

  private constructor(
    url: string,
    token: string,
    schemas: Readonly<Record<string, object>>,
    done: Set<string>,
  ) {
    this.#url = url;
    this.#token = token;
    this.#schemas = schemas;
    this.#done = done;
  }

  static async open(url: string, token: string): Promise<GraphClient> {
    const document = (await (await fetch(`${url}/apidoc`)).json()) as {
      components: { schemas: Record<string, object> };
    };
    return new GraphClient(url, token, document.components.schemas, new Set());
  }

  /** Returns another user of the same cloud. */
  as(token: string): GraphClient {
    return new GraphClient(this.#url, token, this.#schemas, this.#done);
  }

  /** Types that no user of this cloud has had carried out yet, of those whose name ends like this. */
  notDone(ending: RegExp): string[] {
    return Object.keys(this.#schemas).filter((type) => ending.test(type) && !this.#done.has(type));
  }

  /** Sends a message and returns its result. */
  async send(message: Message): Promise<Result> {
    const isCommand = message.type.endsWith("Command");
    const response = await fetch(`${this.#url}/graph/${isCommand ? "command" : "query"}`, {
      method: isCommand ? "PUT" : "POST",
      headers: { authorization: this.#token },
      body: JSON.stringify({ [isCommand ? "command" : "query"]: message }),
    });
    const text = await response.text();
    assert.equal(response.status, 200, text);
    const { result } = JSON.parse(text) as { result: Result };
    const schema = this.#schemas[`${message.type}Result`];
    if (schema !== undefined) this.#mustMatch(schema, result);
    if (result.error === undefined) this.#done.add(message.type);
    return result;
  }

  /** Like `send`, for a message that must be carried out. */
  async done(message: Message): Promise<Result> {
    const result = await this.send(message);
    assert.equal(result.error, undefined, `${message.type}: ${JSON.stringify(result.error)}`);
    return result;
  }

  /** Like `send`, for a message that must fail. @returns the code of its error */
  async fails(message: Message): Promise<string> {
    return (await this.send(message)).error?.code ?? assert.fail(`${message.type} was carried out`);
  }

  #mustMatch(schema: object, result: Result): void {
    const { GraphError } = this.#schemas;
    // The document's references lead to its own schemas.
    const text = JSON.stringify(schema).replaceAll(
      '{"$ref":"#/components/schemas/GraphError"}',
      JSON.stringify(GraphError),
    );
    const validator = Compile(JSON.parse(text) as Type.TSchema);
    assert.ok(
      validator.Check(result),
      `${result.type}: ${JSON.stringify(validator.Errors(result)).slice(0, 500)}`,
    );
  }
}
