// Every refusal of the storage service in its one wire format. Hides storage-api's habit of answering nearly everything with HTTP
// 400 and the real status in the body; clients distinguish errors by `code`.
import { ServiceError } from "../platform/errors.ts";

const refuse = (status: number, code: string, message: string, error: string = code, cause?: unknown) =>
  new ServiceError(status, code, message, { extra: { error }, cause });

export const noSuchBucket = () => refuse(404, "NoSuchBucket", "Bucket not found", "Bucket not found");
export const noSuchKey = () => refuse(404, "NoSuchKey", "Object not found", "not_found");
export const invalidKey = (key: string) => refuse(400, "InvalidKey", `Invalid key: ${key}`);
export const invalidBucketName = () =>
  refuse(400, "InvalidBucketName", "Bucket name invalid", "Invalid Input");
export const invalidRequest = (message: string) => refuse(400, "InvalidRequest", message);
export const invalidParameter = (message: string) => refuse(400, "InvalidParameter", message);
export const invalidToken = (message: string) => refuse(400, "InvalidJWT", message);
export const invalidSignature = (message = "Invalid signature") => refuse(400, "InvalidSignature", message);
export const invalidMimeType = (type: string) =>
  refuse(415, "InvalidMimeType", `mime type ${type} is not supported`, "invalid_mime_type");
export const tooLarge = () =>
  refuse(413, "EntityTooLarge", "The object exceeded the maximum allowed size", "Payload too large");
export const noSuchUpload = () => refuse(404, "NoSuchUpload", "Upload not found");

/** The response when the disk is full or its quota used up; undefined for any other failure. */
export const noRoom = (error: unknown): ServiceError | undefined =>
  ["ENOSPC", "EDQUOT"].includes(String((error as { code?: unknown }).code))
    ? refuse(507, "InsufficientStorage", "The server has no room for this object", undefined, error)
    : undefined;
export const invalidRange = () => refuse(416, "InvalidRange", "invalid range provided", "invalid_range");
export const bucketNotEmpty = () =>
  refuse(409, "ResourceNotEmpty", "The bucket you tried to delete is not empty");
const duplicate = (code: "KeyAlreadyExists" | "BucketAlreadyExists") =>
  refuse(409, code, "The resource already exists", "Duplicate");
export const cannotEmpty = () =>
  refuse(409, "InvalidRequest", "Cannot delete: you may have SELECT but not DELETE permissions");
export const featureNotEnabled = (feature: string) =>
  refuse(409, "FeatureNotEnabled", `The feature ${feature} is not enabled for this resource`);
export const preconditionFailed = () =>
  refuse(412, "PreconditionFailed", "At least one of the pre-conditions you specified did not hold");
export const missingParameter = (name: string) =>
  refuse(400, "MissingParameter", `Missing Required Parameter ${name}`);
/** In imgproxy's words: a picture that its decoder fails on is broken, and anything else it will not read invalid. */
export function imageUnreadable(cause?: unknown) {
  const isBroken = /corrupt header|load_buffer: |2vips: |VipsJpeg: /.test(String(cause));
  const message = isBroken ? "Broken or unsupported image" : "Invalid source image";
  return refuse(422, "InvalidRequest", message, undefined, cause);
}
export function tooManyPictures(retryAfter: number) {
  const wait = retryAfter === 1 ? "a second" : `${retryAfter} seconds`;
  const message = `Too many pictures were made for this address. Try again in ${wait}.`;
  return new ServiceError(429, "TooManyRequests", message, {
    extra: { error: "TooManyRequests" },
    retryAfter,
  });
}
export const slowDown = () => refuse(503, "SlowDown", "Slow down");
export const accessDenied = (message: string) => refuse(403, "AccessDenied", message, "Unauthorized");

/** Text that PostgreSQL cannot store, from a part that was not checked before: a form field sent with a file. */
export const isUnstorable = (error: unknown): boolean =>
  ["22021", "22P05"].includes(String((error as { code?: unknown }).code));
export const unstorable = () => invalidRequest("The request holds text that cannot be stored");

/**
 * Whether PostgreSQL has certainly not committed, because it refused. After a lost connection that is unknown, so bytes whose row
 * may exist are kept.
 */
export const isRefused = (error: unknown): boolean =>
  error instanceof ServiceError || /^(22|23|42|P0)/.test(String((error as { code?: unknown }).code));

/** Turns a refusal by PostgreSQL into the client's error; anything else passes unchanged. */
export function fromDatabase(
  error: unknown,
  onDuplicate: "KeyAlreadyExists" | "BucketAlreadyExists",
): unknown {
  const { code, message } = error as { code?: string; message?: string };
  switch (code) {
    case "42501": {
      const rowLevel = message?.includes("row-level security") ?? false;
      const text = rowLevel ? "new row violates row-level security policy" : (message ?? "Access denied");
      return refuse(403, "AccessDenied", text, "Unauthorized", error);
    }
    case "23505":
      return duplicate(onDuplicate);
    case "23503":
      return refuse(404, "InvalidRequest", "The related resource does not exist", undefined, error);
    default:
      return error;
  }
}

const httpStatusOf = ({ status }: ServiceError) =>
  [429, 503, 507].includes(status) ? status : status >= 500 ? 500 : 400;

/** `httpStatus` is for the gateway's own refusals, which keep their status. */
export function render(error: ServiceError, httpStatus = httpStatusOf(error)): Response {
  return Response.json(
    {
      statusCode: String(error.status),
      error: error.extra.error ?? error.code,
      code: error.code,
      message: error.message,
    },
    {
      status: httpStatus,
      headers: {
        "cache-control": "no-store",
        ...([429, 503].includes(httpStatus) ? { "retry-after": String(error.retryAfter ?? 1) } : {}),
      },
    },
  );
}
