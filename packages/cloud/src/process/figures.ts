import { counter, gauge, type Metric, renderMetrics, type RequestFigures } from "@ledge/link";
import type { Egress } from "../egress/open-egress.ts";
import type { ClusterFigures } from "../cluster/cluster.ts";
import type { CertificateState } from "../http/certificate.ts";
import type { Services } from "../http/services.ts";
import type { Watching } from "../push/watching.ts";
import type { Relay } from "../relay/relay.ts";

/** What is counted of the platform. */
interface CountedPlatform {
  readonly egress: Pick<Egress, "figures" | "counts">;
  readonly watching: Pick<Watching, "readers">;
}

/** Returns the metrics of the process: counts and sizes, nothing personal. */
function cloudMetrics(
  { cloud, mail }: Pick<Services, "cloud" | "mail">,
  relay: Relay,
  { egress, watching }: CountedPlatform,
  freeBytes: number,
): Metric[] {
  const { kernel, logins } = cloud;
  const { health } = kernel;
  const log = kernel.log.stats();
  let sessions = 0;
  for (const [, one] of kernel.all("sessions")) sessions += one.sessions.length;
  return [
    gauge(
      "ledge_serving",
      "1 while the cloud accepts changes.",
      Number(health.state === "serving" || health.state === "following"),
    ),
    counter("ledge_commits_total", "Commits made durable since the start.", health.commits),
    gauge("ledge_log_file_bytes", "Size of the log's file.", log.fileBytes),
    gauge("ledge_log_used_bytes", "Used part of the log's file.", log.usedBytes),
    gauge("ledge_disk_free_bytes", "What the data folder's file system has free.", freeBytes),
    gauge("ledge_cloud_accounts", "Accounts, forgotten ones included.", kernel.size("account")),
    gauge("ledge_cloud_sessions", "Sessions that users have not ended.", sessions),
    gauge("ledge_cloud_hubs", "Registered hubs.", kernel.size("registration")),
    gauge("ledge_cloud_tunnels", "Hubs with a tunnel.", relay.tunnels.size),
    gauge(
      "ledge_push_readers",
      "Streams of pushes that are open, and sessions that fetch.",
      watching.readers,
    ),
    counter("ledge_cloud_relayed_requests_total", "Requests sent to hubs.", relay.traffic.requests),
    {
      name: "ledge_cloud_relayed_bytes_total",
      help: "Bytes of relayed bodies.",
      type: "counter",
      samples: [
        { labels: { to: "hub" }, value: relay.traffic.toHubs },
        { labels: { to: "client" }, value: relay.traffic.fromHubs },
      ],
    },
    counter("ledge_cloud_logins_requested_total", "Requests for a one-time password.", logins.requested),
    {
      name: "ledge_cloud_logins_total",
      help: "Login attempts by outcome.",
      type: "counter",
      samples: [
        { labels: { outcome: "accepted" }, value: logins.accepted },
        { labels: { outcome: "refused" }, value: logins.refused },
      ],
    },
    {
      name: "ledge_cloud_mails_total",
      help: "Mails by outcome.",
      type: "counter",
      samples: [
        { labels: { outcome: "sent" }, value: mail.sent },
        { labels: { outcome: "failed" }, value: mail.failed },
      ],
    },
    ...(cloud.cluster === undefined ? [] : clusterMetrics(cloud.cluster.figures)),
    ...egressMetrics(egress),
    gauge("ledge_resident_bytes", "Resident memory of the process.", process.memoryUsage.rss()),
  ];
}

/** Of one of several processes. */
function clusterMetrics({ isWriting, leaseAgeMs, behindMs, processes }: ClusterFigures): Metric[] {
  return [
    gauge("ledge_writing", "1 while this process writes the log of its cloud.", Number(isWriting)),
    gauge("ledge_processes", "Processes of the cloud that answer, this one included.", processes),
    gauge(
      "ledge_lease_age_seconds",
      "Since the oldest lease of this process was renewed.",
      leaseAgeMs / 1000,
    ),
    gauge(
      "ledge_behind_seconds",
      "Since this process last showed all of the log; 0 where it writes.",
      behindMs / 1000,
    ),
  ];
}

function egressMetrics({ figures, counts }: Pick<Egress, "figures" | "counts">): Metric[] {
  return [
    gauge("ledge_egress_targets", "Egress targets that get events.", counts.served),
    gauge("ledge_egress_failing", "Egress targets whose last request failed.", counts.failing),
    {
      name: "ledge_egress_requests_total",
      help: "Requests to egress targets by outcome.",
      type: "counter",
      samples: Object.entries(figures.requests).map(([outcome, value]) => ({ labels: { outcome }, value })),
    },
    counter("ledge_egress_events_total", "Events that egress targets have taken.", figures.events),
    counter("ledge_egress_dead_letters_total", "Batches that were refused for good.", figures.deadLetters),
    counter("ledge_egress_lost_total", "Events that were deleted before all targets had them.", figures.lost),
  ];
}

/**
 * Renders everything that `GET /metrics` answers.
 * @param requests by the API that answered them
 * @param freeBytes of the data folder's file system
 */
export function renderFigures(
  services: Pick<Services, "cloud" | "mail">,
  relay: Relay,
  platform: CountedPlatform,
  requests: readonly RequestFigures[],
  certificate: CertificateState | null,
  freeBytes: number,
): string {
  const expiring =
    certificate === null
      ? []
      : [
          gauge(
            "ledge_certificate_expires_seconds",
            "When the served certificate expires (s since the epoch).",
            Math.floor(certificate.until / 1000),
          ),
        ];
  const rendered = requests.map((each) => each.render()).join("");
  return renderMetrics([...cloudMetrics(services, relay, platform, freeBytes), ...expiring]) + rendered;
}
