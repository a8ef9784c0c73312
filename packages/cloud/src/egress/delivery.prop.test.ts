import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { secret, TestEgress } from "./test-egress.ts";
import { answering, TestReceiver } from "./test-receiver.ts";

/** What may happen to a site, its receiver and the cloud. */
type Step =
  | { readonly kind: "entities"; readonly count: number }
  | { readonly kind: "status"; readonly status: number }
  | { readonly kind: "receiver"; readonly isUp: boolean }
  | { readonly kind: "restart" }
  | { readonly kind: "pass"; readonly ms: number };

const steps: fc.Arbitrary<readonly Step[]> = fc.array(
  fc.oneof(
    fc.record({ kind: fc.constant("entities" as const), count: fc.integer({ min: 1, max: 12 }) }),
    fc.record({
      kind: fc.constant("status" as const),
      status: fc.constantFrom(200, 204, 408, 429, 500, 503),
    }),
    fc.record({ kind: fc.constant("receiver" as const), isUp: fc.boolean() }),
    fc.constant({ kind: "restart" as const }),
    fc.record({ kind: fc.constant("pass" as const), ms: fc.integer({ min: 1, max: 20_000 }) }),
  ),
  { minLength: 4, maxLength: 12 },
);

test("whatever fails in between, a receiver gets each event, in the order in which they were made", async () => {
  await fc.assert(
    fc.asyncProperty(steps, fc.integer({ min: 1, max: 7 }), async (given, fetchMaxEvents) => {
      const world = await TestEgress.open();
      const receiver = await TestReceiver.start();
      receiver.secrets.push(secret);
      let isUp = true;
      try {
        await world.target("main", receiver.url, { fetchMaxEvents });
        const made: string[] = [];
        const take = async (step: Step): Promise<void> => {
          if (step.kind === "entities") made.push(...(await world.entities(step.count)));
          else if (step.kind === "status") receiver.answer = answering(step.status);
          else if (step.kind === "restart") await world.restart();
          else if (step.kind === "pass") await world.test.clock.pass(step.ms);
          else if (step.isUp !== isUp) {
            isUp = step.isUp;
            await (isUp ? receiver.listen() : receiver.stop());
          }
        };
        for (const step of given) await take(step);
        await take({ kind: "receiver", isUp: true });
        await take({ kind: "status", status: 200 });
        made.push(...(await world.entities(1)));
        const seen = (): string[] => [...new Set(receiver.events.map(({ path }) => path))];
        await world.until("the last event", () => seen().includes(made.at(-1) ?? ""), 1000);
        assert.deepEqual(seen(), made);
        assert.ok(receiver.received.every(({ isSigned }) => isSigned));
        assert.ok(receiver.received.every(({ body }) => body.events.length <= fetchMaxEvents));
      } finally {
        await world.remove();
        if (isUp) await receiver.stop();
      }
    }),
    { numRuns: 10 },
  );
});
