// The metadata of an account: how changes are merged, and how large it may grow.
import { refuse } from "../errors.ts";

type Metadata = Readonly<Record<string, unknown>>;
type Member = "data" | "user_metadata" | "app_metadata";

/** User metadata travels in every access token, so it must stay far below what servers accept as a header. */
export const MAX_METADATA_BYTES = 4096;

export const metadataBytes = (metadata: unknown): number => Buffer.byteLength(JSON.stringify(metadata));

export const tooLarge = (member: Member) =>
  refuse("validation_failed", `${member} cannot be larger than ${MAX_METADATA_BYTES} bytes`);

/**
 * GoTrue's rule for metadata: members are replaced, and null removes one. Refuses growth beyond the bound. Metadata already
 * beyond it, because the identity's own members were added, may shrink.
 */
export function merged(member: Member, before: Metadata | null, changes: Metadata): Record<string, unknown> {
  const entries = Object.entries({ ...before, ...changes });
  const after = Object.fromEntries(entries.filter(([, value]) => value !== null));
  if (metadataBytes(after) > Math.max(MAX_METADATA_BYTES, metadataBytes(before ?? {})))
    throw tooLarge(member);
  return after;
}

/** Adds the provider's claims if they fit: a provider that suddenly sends more than a token can carry locks nobody out. */
export function fitting(before: Metadata | null, data: Metadata): Metadata | null {
  return metadataBytes({ ...before, ...data }) <= MAX_METADATA_BYTES
    ? merged("user_metadata", before, data)
    : before;
}
