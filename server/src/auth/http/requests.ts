// Reading input: a JSON body, the shape of each endpoint's body, and the checks of single values. Hides that PostgreSQL
// stores neither NUL nor half a surrogate pair, and that GoTrue reads a JSON null as a missing member.
import { emailPattern, plainEmail, plainPhone } from "contract/people";
import { z } from "zod";
import { MAX_METADATA_BYTES, metadataBytes, tooLarge } from "../account/metadata.ts";
import { refuse } from "../errors.ts";

/** The building blocks of bodies. */
const text = z
  .string()
  .nullish()
  .transform((value) => value ?? "");
const optionalText = z
  .string()
  .nullish()
  .transform((value) => value ?? undefined);
const flag = z
  .boolean()
  .nullish()
  .transform((value) => value ?? false);
const record = z
  .record(z.string(), z.unknown())
  .nullish()
  .transform((value) => value ?? undefined);
const challenge = { code_challenge: text, code_challenge_method: text };
export const members = { text, optionalText, flag, record, challenge };

export const bodies = {
  signUp: z.object({
    ...{ email: text, phone: text, password: text, channel: text },
    data: record,
    ...challenge,
  }),
  otp: z.object({
    ...{ email: text, phone: text, channel: text },
    create_user: z
      .boolean()
      .nullish()
      .transform((value) => value ?? true),
    data: record,
    ...challenge,
  }),
  magicLink: z.object({ email: text, data: record, ...challenge }),
  passwordGrant: z.object({ email: text, phone: text, password: text }),
  refreshGrant: z.object({ refresh_token: text }),
  idTokenGrant: z.object({
    ...{ id_token: text, access_token: text, nonce: text },
    ...{ provider: text, client_id: text, issuer: text, link_identity: flag },
  }),
  codeGrant: z.object({ auth_code: text, code_verifier: text }),
  verify: z.object({
    type: text,
    token: text,
    token_hash: text,
    email: text,
    phone: text,
    redirect_to: optionalText,
  }),
  recover: z.object({ email: text, ...challenge }),
  resend: z.object({ type: text, email: text, phone: text, ...challenge }),
  updateUser: z.object({
    email: text,
    phone: text,
    channel: text,
    password: optionalText,
    current_password: optionalText,
    nonce: text,
    data: record,
    app_metadata: record,
    ...challenge,
  }),
  generateLink: z.object({
    type: text,
    email: text,
    new_email: text,
    password: text,
    data: record,
    redirect_to: text,
  }),
  invite: z.object({ email: text, data: record }),
  deleteUser: z.object({ should_soft_delete: flag }),
  adminUser: z.object({
    id: optionalText,
    email: text,
    phone: text,
    password: optionalText,
    password_hash: text,
    role: optionalText,
    email_confirm: flag,
    phone_confirm: flag,
    user_metadata: record,
    app_metadata: record,
    ban_duration: optionalText,
  }),
};

/** The body checked against `schema`. Refuses with bad_json or validation_failed. */
export async function readBody<Schema extends z.ZodType>(
  request: Request,
  schema: Schema,
): Promise<z.output<Schema>> {
  return checked(await request.text(), schema);
}

/** As above, for a request that may have no body at all. */
export async function readOptionalBody<Schema extends z.ZodType>(
  request: Request,
  schema: Schema,
): Promise<z.output<Schema>> {
  const source = await request.text();
  return checked(source.trim() === "" ? "{}" : source, schema);
}

function checked<Schema extends z.ZodType>(source: string, schema: Schema): z.output<Schema> {
  const parsed = schema.safeParse(parseJson(source) ?? {});
  if (!parsed.success) {
    const issue = parsed.error.issues[0]!;
    const where = issue.path.join(".");
    throw refuse(
      "bad_json",
      `Could not parse request body as JSON: ${where === "" ? "" : `${where}: `}${issue.message}`,
    );
  }
  for (const member of ["data", "user_metadata", "app_metadata"] as const) {
    const value = (parsed.data as Record<string, unknown>)[member];
    if (value !== undefined && metadataBytes(value) > MAX_METADATA_BYTES) throw tooLarge(member);
  }
  return parsed.data;
}

function parseJson(source: string): unknown {
  let storable = true;
  const check = (value: string) => (storable &&= value.isWellFormed() && !value.includes("\0"));
  let value: unknown;
  try {
    value = JSON.parse(source, (key, member: unknown) => {
      check(key);
      if (typeof member === "string") check(member);
      return member;
    });
  } catch (error) {
    throw refuse("bad_json", `Could not parse request body as JSON: ${(error as Error).message}`);
  }
  if (!storable) throw refuse("validation_failed", "Text contains a character that cannot be stored");
  return value;
}

/** The address in its normal form, in which it is stored and looked up. */
export function parseEmail(given: string): string {
  if (given === "") throw refuse("validation_failed", "An email address is required");
  const email = plainEmail(given);
  if (email.length > 255) throw refuse("validation_failed", "An email address is too long");
  if (!emailPattern.test(email)) {
    throw refuse("validation_failed", "Unable to validate email address: invalid format");
  }
  return email.toLowerCase();
}

/** An address that a program names, such as an identity provider: never copied out of other text, as a person's may be. */
export function providedEmail(given: string): string {
  if (/[<>,;]/.test(given)) {
    throw refuse("validation_failed", "Unable to validate email address: invalid format");
  }
  return parseEmail(given);
}

/** The number as GoTrue stores it: digits only (E.164 without the plus). */
export function parsePhone(given: string): string {
  const phone = plainPhone(given).replace(/[\s+]/g, "");
  if (!/^[1-9]\d{1,14}$/.test(phone)) {
    throw refuse("validation_failed", "Invalid phone number format (E.164 required)");
  }
  return phone;
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
export const isUuid = (value: unknown): value is string => typeof value === "string" && UUID.test(value);
