// Sends traces of a cloud to a collector by OTLP over HTTP (docs/cloud.md). Copy this file to a folder of its own, run
// `npm install @opentelemetry/sdk-trace-node@2 @opentelemetry/exporter-trace-otlp-http@0.223` there, and start the cloud with
// NODE_OPTIONS=--import=/that/folder/tracing.mjs
import { isMainThread } from "node:worker_threads";

// Node loads it in the cloud's threads too, which have little memory and no spans.
if (isMainThread) {
  const { OTLPTraceExporter } = await import("@opentelemetry/exporter-trace-otlp-http");
  const { BatchSpanProcessor, NodeTracerProvider } = await import("@opentelemetry/sdk-trace-node");
  const provider = new NodeTracerProvider({
    spanProcessors: [new BatchSpanProcessor(new OTLPTraceExporter())],
  });
  provider.register();
  process.once("SIGTERM", () => void provider.forceFlush());
}
