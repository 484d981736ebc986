// A real SAML identity provider on loopback, built on the package `samlp`, and the responses it would give with other
// settings.
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { generateKeyPairSync } from "node:crypto";
import samlp from "samlp";
import { readSamlKey, type SamlKey } from "../../src/auth/sso/certificate.ts";

interface IdpUser {
  readonly id: string;
  readonly email?: string;
  readonly attributes?: Readonly<Record<string, unknown>>;
}

export interface Idp {
  readonly entityId: string;
  readonly metadata: string;
  /** The person using the browser from now on. */
  user: IdpUser;
  /** A response signed by the provider; `options` are samlp's. */
  respond(options?: Readonly<Record<string, unknown>>): Promise<string>;
  close(): Promise<void>;
}

/** An RSA key in the format of GOTRUE_SAML_PRIVATE_KEY. */
export const newSamlKey = (): string =>
  generateKeyPairSync("rsa", { modulusLength: 2048 })
    .privateKey.export({ type: "pkcs1", format: "der" })
    .toString("base64");

const EMAIL = "http://schemas.xmlsoap.org/ws/2005/05/identity/claims/emailaddress";

/** `acs`: where it posts its responses; `audience`: the service provider's entity id. */
export async function openIdp({ acs, audience }: { acs: string; audience: string }): Promise<Idp> {
  const key = readSamlKey(newSamlKey(), "idp.example");
  const server = createServer();
  await new Promise<void>((ready) => server.listen(0, "127.0.0.1", ready));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const entityId = `${url}/metadata`;
  const idp: Idp = {
    entityId,
    metadata: metadataOf(entityId, `${url}/sso`, key),
    user: { id: "nobody" },
    respond: (options) =>
      new Promise((resolve, reject) => {
        samlp.getSamlResponse(
          { ...shared(), audience, ...options },
          idp.user,
          (error: unknown, xml: string) => (error ? reject(error) : resolve(xml)),
        );
      }),
    close: () =>
      new Promise<void>((done) => {
        server.close(() => done());
        server.closeAllConnections();
      }),
  };
  const shared = () => ({
    issuer: entityId,
    cert: key.certificate,
    key: key.privateKey,
    recipient: acs,
    destination: acs,
    profileMapper: mapperOf,
    signatureAlgorithm: "rsa-sha256",
    digestAlgorithm: "sha256",
    lifetimeInSeconds: 300,
  });
  server.on("request", (request: IncomingMessage, response: ServerResponse) => {
    const middleware = samlp.auth({
      ...shared(),
      getPostURL: (_: unknown, __: unknown, ___: unknown, done: (error: null, to: string) => void) =>
        done(null, acs),
      getUserFromRequest: () => idp.user,
    });
    middleware(asExpress(request, url), withExpress(response), (error: unknown) => {
      response.statusCode = 500;
      response.end(String(error));
    });
  });
  return idp;
}

/** The few members of Express that samlp uses. */
const asExpress = (request: IncomingMessage, url: string) =>
  Object.assign(request, { query: Object.fromEntries(new URL(request.url!, url).searchParams) });
const withExpress = (response: ServerResponse) =>
  Object.assign(response, {
    set: (name: string, value: string) => response.setHeader(name, value),
    send: (body: string) => response.end(body),
  });

const mapperOf = (user: IdpUser) => ({
  getClaims: () => ({ ...(user.email !== undefined && { [EMAIL]: user.email }), ...user.attributes }),
  getNameIdentifier: () => ({
    nameIdentifier: user.id,
    nameIdentifierFormat: "urn:oasis:names:tc:SAML:2.0:nameid-format:persistent",
  }),
});

const metadataOf = (entityId: string, signIn: string, key: SamlKey) =>
  `<EntityDescriptor xmlns="urn:oasis:names:tc:SAML:2.0:metadata" entityID="${entityId}">
  <IDPSSODescriptor protocolSupportEnumeration="urn:oasis:names:tc:SAML:2.0:protocol">
    <KeyDescriptor use="signing"><KeyInfo xmlns="http://www.w3.org/2000/09/xmldsig#"><X509Data>
      <X509Certificate>${key.certificate.replace(/-----.*-----|\s/g, "")}</X509Certificate>
    </X509Data></KeyInfo></KeyDescriptor>
    <SingleSignOnService Binding="urn:oasis:names:tc:SAML:2.0:bindings:HTTP-Redirect" Location="${signIn}"/>
  </IDPSSODescriptor>
</EntityDescriptor>`;
