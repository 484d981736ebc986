// Tokens that open one object without signing in. They are signed with a separate key, derived from the project's
// secret, so that a shared link can never pass as an access token.
import { createSecretKey, hkdfSync } from "node:crypto";
import { errors, jwtVerify, SignJWT } from "jose";
import type { Clock } from "../platform/clock.ts";
import { invalidSignature, invalidToken } from "./errors.ts";
import type { Place } from "./objects.ts";

export interface ReadGrant {
  /** bucket/name */
  readonly url: string;
  /** Set if the address opens only this version. */
  readonly version?: string;
  /** What the address shows instead of the object itself. */
  readonly transformations?: string;
  readonly format?: string;
}

export interface UploadGrant extends ReadGrant {
  readonly owner?: string;
  readonly upsert: boolean;
}

export interface SignedUrls {
  signRead(grant: ReadGrant, expiresIn: number): Promise<string>;
  /** Throws InvalidJWT or InvalidSignature unless the token opens exactly this place. */
  verifyRead(token: string, place: Place): Promise<ReadGrant & { exp: number }>;
  signUpload(grant: UploadGrant): Promise<string>;
  verifyUpload(token: string, place: Place): Promise<UploadGrant>;
}

/** How a grant names an object. */
export const pathOf = ({ bucket, name }: Place) => `${bucket}/${name}`;

/** The version the grant was signed for, whatever the address adds. */
export const granted = (place: Place, { version }: ReadGrant): Place =>
  version === undefined ? place : { ...place, version };

const UPLOAD_SECONDS = 2 * 60 * 60; // as on the platform

export function createSignedUrls(secret: string, clock: Clock): SignedUrls {
  const key = createSecretKey(Buffer.from(hkdfSync("sha256", secret, "", "storage signed urls", 32)));

  const sign = (use: "read" | "upload", grant: ReadGrant | UploadGrant, seconds: number) => {
    const now = Math.floor(clock.now() / 1000);
    return new SignJWT({ ...grant })
      .setProtectedHeader({ alg: "HS256", typ: "JWT" })
      .setAudience(use)
      .setIssuedAt(now)
      .setExpirationTime(now + seconds)
      .sign(key);
  };

  const verify = async <T extends ReadGrant>(use: "read" | "upload", token: string, place: Place) => {
    try {
      const { payload } = await jwtVerify<T & { exp: number }>(token, key, {
        algorithms: ["HS256"],
        audience: use,
        currentDate: new Date(clock.now()),
      });
      if (payload.url !== pathOf(place)) throw invalidSignature();
      return payload;
    } catch (error) {
      if (error instanceof errors.JOSEError) throw invalidToken(error.message);
      throw error;
    }
  };

  return {
    signRead: (grant, expiresIn) => sign("read", grant, expiresIn),
    verifyRead: (token, place) => verify<ReadGrant>("read", token, place),
    signUpload: (grant) => sign("upload", grant, UPLOAD_SECONDS),
    verifyUpload: (token, place) => verify<UploadGrant>("upload", token, place),
  };
}
