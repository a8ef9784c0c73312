import { counter, gauge, type Metric, renderMetrics, type RequestFigures } from "@ledge/link";
import type { CertificateState } from "../http/certificate.ts";
import type { Services } from "../http/services.ts";
import type { Relay } from "../relay/relay.ts";

/** The process's figures: counts and sizes, nothing personal. */
export function cloudMetrics({ cloud, mail }: Pick<Services, "cloud" | "mail">, relay: Relay): Metric[] {
  const { kernel, logins } = cloud;
  const { health } = kernel;
  const log = kernel.log.stats();
  const { usedBytes, quotaBytes, quotaExceeded } = kernel.retention;
  let sessions = 0;
  for (const [, one] of kernel.all("sessions")) sessions += one.sessions.length;
  return [
    gauge("ledge_serving", "1 while changes are taken.", Number(health.state === "serving")),
    counter("ledge_commits_total", "Commits made durable since the start.", health.commits),
    gauge("ledge_log_file_bytes", "Size of the log's file.", log.fileBytes),
    gauge("ledge_log_used_bytes", "How much of the log's file is in use.", usedBytes),
    gauge("ledge_log_quota_bytes", "How much of it may be.", quotaBytes ?? Infinity),
    gauge("ledge_log_quota_exceeded", "1 while it is more.", Number(quotaExceeded)),
    gauge("ledge_cloud_accounts", "Accounts, forgotten ones included.", kernel.size("account")),
    gauge("ledge_cloud_sessions", "Sessions of people that were not ended.", sessions),
    gauge("ledge_cloud_hubs", "Hubs that have shown themselves.", kernel.size("registration")),
    gauge("ledge_cloud_tunnels", "Hubs with a tunnel.", relay.tunnels.size),
    counter("ledge_cloud_relayed_requests_total", "Requests sent to hubs.", relay.traffic.requests),
    {
      name: "ledge_cloud_relayed_bytes_total",
      help: "Bytes of bodies that were relayed.",
      type: "counter",
      samples: [
        { labels: { to: "hub" }, value: relay.traffic.toHubs },
        { labels: { to: "client" }, value: relay.traffic.fromHubs },
      ],
    },
    counter(
      "ledge_cloud_logins_requested_total",
      "One-time passwords that were asked for.",
      logins.requested,
    ),
    {
      name: "ledge_cloud_logins_total",
      help: "Passwords that were given, by whether they let in.",
      type: "counter",
      samples: [
        { labels: { outcome: "accepted" }, value: logins.accepted },
        { labels: { outcome: "refused" }, value: logins.refused },
      ],
    },
    {
      name: "ledge_cloud_mails_total",
      help: "Mails, by whether they could be handed on.",
      type: "counter",
      samples: [
        { labels: { outcome: "sent" }, value: mail.sent },
        { labels: { outcome: "failed" }, value: mail.failed },
      ],
    },
    gauge("ledge_resident_bytes", "Resident memory of the process.", process.memoryUsage.rss()),
  ];
}

/** All that `GET /metrics` answers. */
export function renderFigures(
  services: Pick<Services, "cloud" | "mail">,
  relay: Relay,
  requests: RequestFigures,
  certificate: CertificateState | null,
): string {
  const expiring =
    certificate === null
      ? []
      : [
          gauge(
            "ledge_certificate_expires_seconds",
            "When the certificate that is shown expires (s since the epoch).",
            Math.floor(certificate.until / 1000),
          ),
        ];
  return renderMetrics([...cloudMetrics(services, relay), ...expiring]) + requests.render();
}
