import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { memoryLog } from "@ledge/log";
import { SimulatedClock } from "@ledge/testkit";
import { renderMetrics, RequestFigures } from "@ledge/link";
import { openTestHub } from "./test-hub.ts";

describe("metrics", () => {
  test("renders families with and without labels, and escapes values", () => {
    const samples = [
      { labels: { path: 'a"b\\c\nd', x: "1" }, value: 2 },
      { value: 1.5 },
      { value: Infinity },
    ];
    const text = renderMetrics([{ name: "n_total", help: "Two\nlines \\", type: "counter", samples }]);
    assert.equal(
      text,
      '# HELP n_total Two\\nlines \\\\\n# TYPE n_total counter\nn_total{path="a\\"b\\\\c\\nd",x="1"} 2\nn_total 1.5\nn_total +Inf\n',
    );
    assert.equal(renderMetrics([]), "");
  });

  test("counts requests by row and status, and their times by row in cumulative buckets", () => {
    const figures = new RequestFigures();
    figures.of("GET /a").observe(200, 1);
    figures.of("GET /a").observe(200, 30);
    figures.of("GET /a").observe(401, 5000);
    const lines = figures.render().split("\n");
    for (const line of [
      'ledge_http_requests_total{row="GET /a",status="200"} 2',
      'ledge_http_requests_total{row="GET /a",status="401"} 1',
      'ledge_http_request_duration_seconds_bucket{row="GET /a",le="0.001"} 1',
      'ledge_http_request_duration_seconds_bucket{row="GET /a",le="0.025"} 1',
      'ledge_http_request_duration_seconds_bucket{row="GET /a",le="0.1"} 2',
      'ledge_http_request_duration_seconds_bucket{row="GET /a",le="2.5"} 2',
      'ledge_http_request_duration_seconds_bucket{row="GET /a",le="+Inf"} 3',
      'ledge_http_request_duration_seconds_sum{row="GET /a"} 5.031',
      'ledge_http_request_duration_seconds_count{row="GET /a"} 3',
    ]) {
      assert.ok(lines.includes(line), `${line}\nin\n${lines.join("\n")}`);
    }
  });

  test("GET /metrics names the rows that were called, but no caller, id or unknown path", async () => {
    const metrics = () => [
      { name: "ledge_commits_total", help: "Commits.", type: "counter" as const, samples: [{ value: 7 }] },
    ];
    const hub = await openTestHub(memoryLog(), new SimulatedClock(), { ports: { metrics } });
    const api = hub.api("local");
    const owner = await hub.sign();
    await api.send("GET", "/rooms?roomId=secret-room", owner);
    await api.send("GET", "//nothing-secret", owner);
    const { body, headers } = await api.send("GET", "//metrics", "scrape-me");
    assert.match(headers.get("content-type") ?? "", /^text\/plain; version=0\.0\.4/);
    const text = body as string;
    assert.match(text, /ledge_http_requests_total\{row="GET \/rooms",status="404"\} 1\n/);
    assert.match(text, /ledge_commits_total 7\n/);
    assert.doesNotMatch(text, /secret|owner|example/);
  });
});
