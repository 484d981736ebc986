// An identity provider's metadata: its name, where it accepts requests, and the certificates it signs with.
import { refuse } from "../errors.ts";
import { NotReachable, type OutwardFetch } from "../federation/outward.ts";
import { attribute, child, children, type Element, parseXml, textOf } from "./xml.ts";

export interface IdpMetadata {
  readonly entityId: string;
  /** Accepts requests in the URL (HTTP-Redirect). */
  readonly signInUrl: string;
  /** Base64, without PEM's lines. */
  readonly certificates: readonly string[];
  readonly validUntil: Date | undefined;
}

const REDIRECT = "urn:oasis:names:tc:SAML:2.0:bindings:HTTP-Redirect";

/** Refuses with validation_failed anything but the metadata of exactly one identity provider. */
export async function parseIdpMetadata(xml: string): Promise<IdpMetadata> {
  const document = await parseXml(xml).catch((error: unknown) => {
    throw refuse("validation_failed", "SAML Metadata is not valid XML", { cause: error });
  });
  const entity = entityIn(document);
  const entityId = attribute(entity, "entityID") ?? "";
  if (entityId === "") throw refuse("validation_failed", "SAML Metadata does not contain an EntityID");
  const descriptors = children(entity, "IDPSSODescriptor");
  if (descriptors.length === 0)
    throw refuse("validation_failed", "SAML Metadata does not contain any IDPSSODescriptor");
  if (descriptors.length > 1)
    throw refuse("validation_failed", "SAML Metadata contains multiple IDPSSODescriptors");
  const [descriptor] = descriptors;
  const service = children(descriptor, "SingleSignOnService").find(
    (one) => attribute(one, "Binding") === REDIRECT,
  );
  const signInUrl = attribute(service, "Location") ?? "";
  if (!/^https?:\/\//.test(signInUrl) || !URL.canParse(signInUrl)) {
    throw refuse(
      "validation_failed",
      "SAML Metadata names no SingleSignOnService with the HTTP-Redirect binding",
    );
  }
  const certificates = certificatesIn(descriptor);
  if (certificates.length === 0)
    throw refuse("validation_failed", "SAML Metadata does not contain a signing certificate");
  const until = attribute(entity, "validUntil");
  return {
    entityId,
    signInUrl,
    certificates,
    validUntil: until === undefined ? undefined : new Date(until),
  };
}

/** The document's root, or the only entity in a list. */
function entityIn(document: Element): Element | undefined {
  const root = (name: string) => document[name] as Element | undefined;
  return root("EntityDescriptor") ?? child(root("EntitiesDescriptor"), "EntityDescriptor");
}

const certificatesIn = (descriptor: Element | undefined): string[] =>
  children(descriptor, "KeyDescriptor")
    .filter((key) => (attribute(key, "use") ?? "signing") === "signing")
    .flatMap((key) => children(key, "KeyInfo"))
    .flatMap((info) => children(info, "X509Data"))
    .flatMap((data) => children(data, "X509Certificate"))
    .map((certificate) => textOf(certificate).replace(/\s+/g, ""))
    .filter((certificate) => certificate !== "");

/** The metadata at an address from an administrator. */
export async function fetchIdpMetadata(reach: OutwardFetch, url: string): Promise<string> {
  const answer = await reach(url, { headers: { accept: "application/xml;charset=UTF-8" } }).catch(
    (error: unknown) => {
      const why = error instanceof NotReachable ? `: ${error.message}` : "";
      throw refuse("saml_metadata_fetch_failed", `SAML Metadata cannot be fetched from '${url}'${why}`, {
        cause: error,
      });
    },
  );
  if (answer.status !== 200) {
    throw refuse(
      "saml_metadata_fetch_failed",
      `HTTP ${answer.status} error fetching SAML Metadata from URL '${url}'`,
    );
  }
  return answer.text();
}
