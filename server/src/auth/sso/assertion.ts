// What an assertion says, read from the signed part alone, and the checks that node-saml leaves out: issuer, audience,
// recipient, expiry, and the request it answers.
import type { SAML } from "@node-saml/node-saml";
import { CLOCK_SKEW_MS, EMAIL_FORMAT, type ServiceProvider, TRANSIENT_FORMAT } from "./service-provider.ts";
import { attribute, child, children, type Element, parseXml, textOf } from "./xml.ts";

const BEARER = "urn:oasis:names:tc:SAML:2.0:cm:bearer";
const SUCCESS = "urn:oasis:names:tc:SAML:2.0:status:Success";
const SUBJECT_ID = "urn:oasis:names:tc:SAML:attribute:subject-id";
const EMAIL_NAMES = [
  "urn:oid:0.9.2342.19200300.100.1.3",
  "http://schemas.xmlsoap.org/ws/2005/05/identity/claims/emailaddress",
  "http://schemas.xmlsoap.org/claims/EmailAddress",
  "mail",
  "Mail",
  "email",
];

export interface Expected {
  readonly own: ServiceProvider;
  readonly entityId: string;
  /** Undefined for a response that the identity provider initiated: it must not answer a request. */
  readonly requestId: string | undefined;
  readonly now: number;
}

export interface Assertion {
  readonly id: string;
  readonly usableUntil: Date;
  /** When the session with the identity provider ends, if the assertion says so. */
  readonly sessionUntil: Date | undefined;
  readonly nameId: string;
  readonly nameIdFormat: string;
  /** The values of the attribute with this name or friendly name, in order. */
  values(name: string): readonly string[];
}

/** Rejects with an Error that names the problem; the message is for the log. */
export async function readAssertion(saml: SAML, response: string, expected: Expected): Promise<Assertion> {
  const envelope = await parseXml(Buffer.from(response, "base64").toString("utf8"));
  checkEnvelope(envelope, expected);
  const { profile } = await saml.validatePostResponseAsync({ SAMLResponse: response });
  const assertion = profile?.getAssertion?.().Assertion as Element | undefined;
  if (!assertion) throw new Error("there is no assertion");
  refuseSha1(envelope, assertion);
  const issuer = textOf(child(assertion, "Issuer"));
  if (issuer !== expected.entityId) throw new Error(`the assertion is from ${issuer}`);
  if (!child(assertion, "Conditions")) throw new Error("the assertion has no conditions");
  const subject = child(assertion, "Subject");
  const usableUntil = bearerUntil(subject, expected);
  const nameId = child(subject, "NameID");
  const id = attribute(assertion, "ID");
  if (!id) throw new Error("the assertion has no ID");
  return {
    id,
    usableUntil,
    sessionUntil: sessionEnd(assertion, expected.now),
    nameId: textOf(nameId),
    nameIdFormat: attribute(nameId, "Format") ?? "",
    values: (name) => valuesOf(assertion, name),
  };
}

/** node-saml still accepts SHA-1, although collisions can be forged. Inside the encryption SHA-1 signs nothing and is allowed. */
function refuseSha1(envelope: Element, assertion: Element): void {
  const { EncryptedAssertion: _, ...open } = envelope.Response as Element;
  if (/xmldsig#(?:[a-z]+-)?sha1"/.test(JSON.stringify([open, assertion])))
    throw new Error("it is signed with SHA-1");
}

/** The response around the assertion, which need not be signed: nothing in it may widen what is accepted. */
function checkEnvelope(envelope: Element, { own, entityId, requestId }: Expected): void {
  const response = envelope.Response as Element | undefined;
  if (!response) throw new Error("there is no response");
  const issuer = textOf(child(response, "Issuer"));
  if (issuer !== "" && issuer !== entityId) throw new Error(`the response is from ${issuer}`);
  const destination = attribute(response, "Destination");
  if (destination && destination !== own.acsUrl) throw new Error(`the response is for ${destination}`);
  if ((attribute(response, "InResponseTo") || undefined) !== requestId) {
    throw new Error("the response answers another request");
  }
  const status = attribute(child(child(response, "Status"), "StatusCode"), "Value");
  if (status !== SUCCESS) throw new Error(`the status is ${status}`);
}

/** Until when the assertion may be delivered here. */
function bearerUntil(subject: Element | undefined, { own, requestId, now }: Expected): Date {
  const bearers = children(subject, "SubjectConfirmation")
    .filter((one) => attribute(one, "Method") === BEARER)
    .flatMap((one) => children(one, "SubjectConfirmationData"));
  const until = bearers
    .filter(
      (data) =>
        attribute(data, "Recipient") === own.acsUrl &&
        (attribute(data, "InResponseTo") || undefined) === requestId &&
        attribute(data, "NotBefore") === undefined,
    )
    .map((data) => Date.parse(attribute(data, "NotOnOrAfter") ?? ""))
    .find((time) => time + CLOCK_SKEW_MS > now);
  if (until === undefined) throw new Error("the assertion may not be delivered here, now, for this request");
  return new Date(until + CLOCK_SKEW_MS);
}

function sessionEnd(assertion: Element, now: number): Date | undefined {
  const [until] = children(assertion, "AuthnStatement")
    .map((statement) => Date.parse(attribute(statement, "SessionNotOnOrAfter") ?? ""))
    .filter((time) => !Number.isNaN(time));
  if (until !== undefined && until <= now) throw new Error("the session at the identity provider has ended");
  return until === undefined ? undefined : new Date(until);
}

const valuesOf = (assertion: Element, name: string): string[] =>
  children(assertion, "AttributeStatement")
    .flatMap((statement) => children(statement, "Attribute"))
    .filter((one) => attribute(one, "Name") === name || attribute(one, "FriendlyName") === name)
    .flatMap((one) => children(one, "AttributeValue"))
    .map(textOf);

/** The user's permanent id; undefined when the assertion has only a transient name. */
export function userIdOf(assertion: Assertion): string | undefined {
  const [subjectId] = assertion.values(SUBJECT_ID);
  if (subjectId) return subjectId;
  if (assertion.nameId === "" || assertion.nameIdFormat === TRANSIENT_FORMAT) return undefined;
  return assertion.nameIdFormat === EMAIL_FORMAT ? assertion.nameId.toLowerCase() : assertion.nameId;
}

export function emailOf(assertion: Assertion): string | undefined {
  const named = EMAIL_NAMES.flatMap((name) => assertion.values(name)).find((value) => value !== "");
  return named ?? (assertion.nameIdFormat === EMAIL_FORMAT ? assertion.nameId : undefined);
}

/** GoTrue's attribute_mapping: which attribute becomes which claim. */
export interface AttributeMapping {
  readonly keys?: Readonly<
    Record<
      string,
      {
        readonly name?: string | undefined;
        readonly names?: readonly string[] | undefined;
        readonly default?: unknown;
        readonly array?: boolean | undefined;
      }
    >
  >;
}

export function mappedClaims(assertion: Assertion, mapping: AttributeMapping): Record<string, unknown> {
  const claims: Record<string, unknown> = {};
  for (const [key, { name, names = [], default: fallback, array }] of Object.entries(mapping.keys ?? {})) {
    const values = [name ?? "", ...names]
      .map((one) => assertion.values(one).filter((value) => value !== ""))
      .find((found) => found.length > 0);
    if (values) claims[key] = array ? values : values[0];
    else if (fallback !== undefined && fallback !== null) claims[key] = fallback;
  }
  return claims;
}
