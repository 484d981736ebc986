// When a batch of many people's wishes fails because of one of them, the others are decided without it.

/** SQLSTATE classes of a fault in what one wish says (22, 23), or of a transaction that may be tried again (40). */
const SPLITTABLE = /^(22|23|40)/;

export function isSplittable(error: unknown): boolean {
  return (
    error instanceof Error && "code" in error && typeof error.code === "string" && SPLITTABLE.test(error.code)
  );
}
