import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { type ChannelEnergy, scanChannels } from "../../api/network.ts";
import { useAnswer } from "../../parts/answer.ts";
import { AnswerFace } from "../../parts/faces.tsx";
import { t } from "../../texts/texts.ts";

const most = 255;

function Bars(props: {
  readonly energies: readonly ChannelEnergy[];
  readonly channel: number | null;
}): JSX.Element {
  const { energies, channel } = props;
  return (
    <ul class="plain channels">
      {energies.map(({ channel: each, energy }) => {
        const share = Math.round((100 * energy) / most);
        const text = t(each === channel ? "network.channelOurs" : "network.channel", {
          channel: each,
          share,
        });
        return (
          <li key={each}>
            <span>{text}</span>
            <meter min={0} max={most} value={energy} aria-label={text} />
          </li>
        );
      })}
    </ul>
  );
}

function Measured({ channel }: { readonly channel: number | null }): JSX.Element {
  const { asked, again } = useAnswer(scanChannels, "channels");
  return (
    <AnswerFace
      answer={asked.value}
      again={again}
      show={(energies) => <Bars energies={energies} channel={channel} />}
    />
  );
}

/** What is on the air of each channel. Measured on demand: the radio hears no devices meanwhile. */
export function Channels({ channel }: { readonly channel: number | null }): JSX.Element {
  const isAsked = useSignal(false);
  return (
    <section class="card" aria-labelledby="channels-title">
      <h2 id="channels-title">{t("network.channels")}</h2>
      <p>{t("network.channelsHow")}</p>
      {isAsked.value ? (
        <Measured channel={channel} />
      ) : (
        <button type="button" class="button" onClick={() => (isAsked.value = true)}>
          {t("network.measure")}
        </button>
      )}
    </section>
  );
}
