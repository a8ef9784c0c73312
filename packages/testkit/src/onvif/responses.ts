// What simulated cameras answer, in the words of real ones: prefixes, attributes and white space included.

/** Returns the text of the first element with a name. */
export function tagged(message: string, name: string): string {
  return new RegExp(`<(?:\\w+:)?${name}(?: [^>]*)?>([^<]*)<`).exec(message)?.[1]?.trim() ?? "";
}

const prefixes = {
  tds: "http://www.onvif.org/ver10/device/wsdl",
  trt: "http://www.onvif.org/ver10/media/wsdl",
  tr2: "http://www.onvif.org/ver20/media/wsdl",
  tptz: "http://www.onvif.org/ver20/ptz/wsdl",
  tev: "http://www.onvif.org/ver10/events/wsdl",
  tt: "http://www.onvif.org/ver10/schema",
  ter: "http://www.onvif.org/ver10/error",
  wsnt: "http://docs.oasis-open.org/wsn/b-2",
  wsa: "http://www.w3.org/2005/08/addressing",
  tns1: "http://www.onvif.org/ver10/topics",
};

export function messageOf(body: string): string {
  const declared = Object.entries(prefixes).map(([prefix, space]) => ` xmlns:${prefix}="${space}"`);
  return (
    `<?xml version="1.0" encoding="UTF-8"?>\n<env:Envelope xmlns:env="http://www.w3.org/2003/05/soap-envelope"` +
    `${declared.join("")}>\n  <env:Body>${body}</env:Body>\n</env:Envelope>\n`
  );
}

function fault(code: string, subcode: string, reason: string): string {
  return messageOf(
    `<env:Fault><env:Code><env:Value>env:${code}</env:Value><env:Subcode><env:Value>ter:${subcode}</env:Value>` +
      `</env:Subcode></env:Code><env:Reason><env:Text xml:lang="en">${reason}</env:Text></env:Reason></env:Fault>`,
  );
}

interface Has {
  readonly moves: boolean;
  readonly seesMotion: boolean;
  readonly media2: boolean;
  readonly video: boolean;
}

export const responses = {
  notAuthorized: fault("Sender", "NotAuthorized", "Sender not Authorized"),
  notSupported: fault("Receiver", "ActionNotSupported", "Optional Action Not Implemented"),
  entities:
    `<?xml version="1.0"?><!DOCTYPE lolz [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;">` +
    `<!ENTITY c "&b;&b;&b;&b;&b;&b;&b;&b;">]><Envelope><Body><x>&c;</x></Body></Envelope>`,

  time(ms: number): string {
    const time = new Date(ms);
    const [year, month, day] = [time.getUTCFullYear(), time.getUTCMonth() + 1, time.getUTCDate()];
    const [hour, minute, second] = [time.getUTCHours(), time.getUTCMinutes(), time.getUTCSeconds()];
    return (
      `<tds:GetSystemDateAndTimeResponse><tds:SystemDateAndTime><tt:DateTimeType>NTP</tt:DateTimeType>` +
      `<tt:UTCDateTime><tt:Time><tt:Hour>${hour}</tt:Hour><tt:Minute>${minute}</tt:Minute>` +
      `<tt:Second>${second}</tt:Second></tt:Time><tt:Date><tt:Year>${year}</tt:Year>` +
      `<tt:Month>${month}</tt:Month><tt:Day>${day}</tt:Day></tt:Date></tt:UTCDateTime>` +
      `</tds:SystemDateAndTime></tds:GetSystemDateAndTimeResponse>`
    );
  },

  information({ manufacturer, model }: { manufacturer: string; model: string }, serial: string): string {
    return (
      `<tds:GetDeviceInformationResponse><tds:Manufacturer>${manufacturer}</tds:Manufacturer>` +
      `<tds:Model>${model}</tds:Model><tds:FirmwareVersion>1.0</tds:FirmwareVersion>` +
      `<tds:SerialNumber>${serial}</tds:SerialNumber><tds:HardwareId>1</tds:HardwareId>` +
      `</tds:GetDeviceInformationResponse>`
    );
  },

  services(base: string, { moves, seesMotion, media2, video }: Has): string {
    const service = (space: string, path: string): string =>
      `<tds:Service><tds:Namespace>${space}</tds:Namespace><tds:XAddr>${base}/onvif/${path}</tds:XAddr>` +
      `<tds:Version><tt:Major>2</tt:Major><tt:Minor>60</tt:Minor></tds:Version></tds:Service>`;
    const list = [
      service(prefixes.tds, "device_service"),
      ...(video
        ? [media2 ? service(prefixes.tr2, "media2_service") : service(prefixes.trt, "media_service")]
        : []),
      ...(moves ? [service(prefixes.tptz, "ptz_service")] : []),
      ...(seesMotion ? [service(prefixes.tev, "event_service")] : []),
    ];
    return `<tds:GetServicesResponse>${list.join("\n")}</tds:GetServicesResponse>`;
  },

  profiles(moves: boolean, media2: boolean): string {
    const size = (width: number, height: number): string =>
      `<tt:Encoding>H264</tt:Encoding><tt:Resolution><tt:Width>${width}</tt:Width><tt:Height>${height}</tt:Height>` +
      `</tt:Resolution><tt:RateControl><tt:FrameRateLimit>25</tt:FrameRateLimit>` +
      `<tt:BitrateLimit>${width * 2}</tt:BitrateLimit></tt:RateControl>`;
    const ptz = moves ? '<tt:PTZConfiguration token="ptz0"/>' : "";
    if (media2) {
      const one =
        `<tr2:Profiles token="main" fixed="true"><tr2:Name>Main</tr2:Name><tr2:Configurations>` +
        `<tr2:VideoEncoder token="v0">${size(1920, 1080)}</tr2:VideoEncoder></tr2:Configurations></tr2:Profiles>`;
      return `<tr2:GetProfilesResponse>${one}</tr2:GetProfilesResponse>`;
    }
    const profile = (token: string, name: string, video: string): string =>
      `<trt:Profiles token="${token}" fixed="true"><tt:Name>${name}</tt:Name>${video}${ptz}</trt:Profiles>`;
    const encoder = (text: string): string =>
      `<tt:VideoEncoderConfiguration token="v0">${text}</tt:VideoEncoderConfiguration>`;
    return (
      `<trt:GetProfilesResponse>${profile("main", "Main", encoder(size(1920, 1080)))}` +
      `${profile("sub", "Small &amp; fast", encoder(size(640, 360)))}${profile("empty", "Without video", "")}` +
      `</trt:GetProfilesResponse>`
    );
  },

  uri(name: string, uri: string): string {
    return `<trt:${name}Response><trt:MediaUri><tt:Uri>${uri}</tt:Uri></trt:MediaUri></trt:${name}Response>`;
  },

  presets:
    `<tptz:GetPresetsResponse><tptz:Preset token="gate"><tt:Name>Gate</tt:Name></tptz:Preset>` +
    `<tptz:Preset token="door"><tt:Name>Door</tt:Name></tptz:Preset></tptz:GetPresetsResponse>`,

  status({ pan, tilt, zoom }: { pan: number; tilt: number; zoom: number }): string {
    return (
      `<tptz:GetStatusResponse><tptz:PTZStatus><tt:Position><tt:PanTilt x="${pan}" y="${tilt}"/>` +
      `<tt:Zoom x="${zoom}"/></tt:Position></tptz:PTZStatus></tptz:GetStatusResponse>`
    );
  },

  eventProperties:
    `<tev:GetEventPropertiesResponse><tev:TopicNamespaceLocation>http://www.onvif.org/onvif/ver10/topics/topicns.xml` +
    `</tev:TopicNamespaceLocation><wsnt:FixedTopicSet>true</wsnt:FixedTopicSet><wstop:TopicSet ` +
    `xmlns:wstop="http://docs.oasis-open.org/wsn/t-1"><tns1:RuleEngine><CellMotionDetector><Motion wstop:topic="true"/>` +
    `</CellMotionDetector></tns1:RuleEngine></wstop:TopicSet></tev:GetEventPropertiesResponse>`,

  subscription(address: string, now: number): string {
    return (
      `<tev:CreatePullPointSubscriptionResponse><tev:SubscriptionReference><wsa:Address>${address}</wsa:Address>` +
      `</tev:SubscriptionReference><wsnt:CurrentTime>${new Date(now).toISOString()}</wsnt:CurrentTime>` +
      `<wsnt:TerminationTime>${new Date(now + 120_000).toISOString()}</wsnt:TerminationTime>` +
      `</tev:CreatePullPointSubscriptionResponse>`
    );
  },

  motion(isMoving: boolean, operation: string): string {
    return (
      `<wsnt:NotificationMessage><wsnt:Topic Dialect="http://www.onvif.org/ver10/tev/topicExpression/ConcreteSet">` +
      `tns1:RuleEngine/CellMotionDetector/Motion</wsnt:Topic><wsnt:Message>` +
      `<tt:Message UtcTime="2026-01-01T00:00:00Z" PropertyOperation="${operation}"><tt:Source>` +
      `<tt:SimpleItem Name="VideoSourceConfigurationToken" Value="v0"/></tt:Source><tt:Data>` +
      `<tt:SimpleItem Name="IsMotion" Value="${isMoving}"/></tt:Data></tt:Message></wsnt:Message>` +
      `</wsnt:NotificationMessage>`
    );
  },

  pulled(messages: readonly string[], now: number): string {
    return (
      `<tev:PullMessagesResponse><tev:CurrentTime>${new Date(now).toISOString()}</tev:CurrentTime>` +
      `<tev:TerminationTime>${new Date(now + 120_000).toISOString()}</tev:TerminationTime>${messages.join("")}` +
      `</tev:PullMessagesResponse>`
    );
  },

  probeMatches(
    relatesTo: string,
    id: string,
    address: string,
    { manufacturer, model }: { manufacturer: string; model: string },
  ): string {
    const scope = (name: string, value: string): string =>
      `onvif://www.onvif.org/${name}/${encodeURIComponent(value)}`;
    return (
      `<?xml version="1.0" encoding="UTF-8"?><e:Envelope xmlns:e="http://www.w3.org/2003/05/soap-envelope" ` +
      `xmlns:w="http://schemas.xmlsoap.org/ws/2004/08/addressing" xmlns:d="http://schemas.xmlsoap.org/ws/2005/04/discovery">` +
      `<e:Header><w:RelatesTo>${relatesTo}</w:RelatesTo></e:Header><e:Body><d:ProbeMatches><d:ProbeMatch>` +
      `<w:EndpointReference><w:Address>urn:uuid:${id}</w:Address></w:EndpointReference>` +
      `<d:Types>dn:NetworkVideoTransmitter</d:Types><d:Scopes>${scope("name", `${manufacturer} ${model}`)} ` +
      `${scope("hardware", model)}</d:Scopes><d:XAddrs>http://192.0.2.9/onvif/device_service ${address}</d:XAddrs>` +
      `<d:MetadataVersion>1</d:MetadataVersion></d:ProbeMatch></d:ProbeMatches></e:Body></e:Envelope>`
    );
  },
};

const names = { manufacturer: "Ledge", model: "Lens 1" };
const base = "http://192.168.1.20";

/** One answer of each kind, as they go over the wire. */
export const exampleAnswers: readonly string[] = [
  ...[
    responses.time(0),
    responses.information(names, "1000"),
    responses.services(base, { moves: true, seesMotion: true, media2: false, video: true }),
    responses.profiles(true, false),
    responses.profiles(true, true),
    responses.uri("GetStreamUri", "rtsp://192.168.1.20/main"),
    responses.presets,
    responses.status({ pan: 0.5, tilt: -0.5, zoom: 0 }),
    responses.eventProperties,
    responses.subscription(`${base}/events/1`, 0),
    responses.pulled([responses.motion(true, "Changed"), responses.motion(false, "Deleted")], 0),
  ].map(messageOf),
  responses.notAuthorized,
  responses.entities,
  responses.probeMatches("1", "2", `${base}/onvif/device_service`, names),
];
