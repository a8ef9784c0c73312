import { all, at, readXml, textAt, type XmlElement, XmlError } from "./xml.ts";

/** SOAP 1.1 of UPnP, 1.2 of ONVIF. */
export type SoapVersion = "1.1" | "1.2";

const envelopes: Readonly<Record<SoapVersion, string>> = {
  "1.1": "http://schemas.xmlsoap.org/soap/envelope/",
  "1.2": "http://www.w3.org/2003/05/soap-envelope",
};

/** Returns a message. @param header and `body` as XML */
export function envelope(version: SoapVersion, body: string, header = ""): string {
  const style = version === "1.1" ? ' s:encodingStyle="http://schemas.xmlsoap.org/soap/encoding/"' : "";
  const head = header === "" ? "" : `<s:Header>${header}</s:Header>`;
  return (
    `<?xml version="1.0" encoding="utf-8"?><s:Envelope xmlns:s="${envelopes[version]}"${style}>` +
    `${head}<s:Body>${body}</s:Body></s:Envelope>`
  );
}

/** A device says why it has not done what it was asked for. */
export class SoapFault extends Error {
  override readonly name = "SoapFault";
  /** Codes from the outer to the inner, without prefixes, such as `Sender` and `NotAuthorized`; those of UPnP are numbers. */
  readonly codes: readonly string[];
  constructor(codes: readonly string[], reason: string) {
    super(reason);
    this.codes = codes;
  }
}

const reasonChars = 200;

/**
 * Returns what is in the body of a message.
 * @throws XmlError when it is no message, SoapFault when it is a fault
 */
export function bodyOf(text: string): XmlElement {
  const root = readXml(text);
  const body = root.name === "Envelope" ? at(root, "Body") : undefined;
  const [content] = body?.children ?? [];
  if (content === undefined) throw new XmlError("no SOAP message");
  if (content.name !== "Fault") return content;
  throw faultOf(content);
}

function faultOf(fault: XmlElement): SoapFault {
  const codes: string[] = [];
  for (let code = at(fault, "Code"); code !== undefined; code = at(code, "Subcode"))
    codes.push(withoutPrefix(textAt(code, "Value") ?? ""));
  const plain = textAt(fault, "faultcode");
  if (plain !== undefined) codes.push(withoutPrefix(plain));
  const [detail] = all(at(fault, "detail"), "UPnPError");
  const upnp = textAt(detail, "errorCode");
  if (upnp !== undefined) codes.push(upnp);
  const reason =
    textAt(detail, "errorDescription") ??
    textAt(fault, "Reason", "Text") ??
    textAt(fault, "faultstring") ??
    "";
  return new SoapFault(codes, shortened(reason || codes.join(" ") || "a fault without a reason"));
}

function withoutPrefix(code: string): string {
  return code.slice(code.indexOf(":") + 1);
}

function shortened(text: string): string {
  return text.length <= reasonChars ? text : `${text.slice(0, reasonChars)}…`;
}
