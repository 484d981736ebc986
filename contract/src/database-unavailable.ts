/**
 * Whether the code says that the database is gone, starting, out of disk or out of connections: it may work in a minute, and
 * nobody's request is at fault.
 */
export const isDatabaseUnavailable = (code: unknown): boolean =>
  typeof code === "string" && /^(PGRST00[0-2]|08...|53...|57P0.|58...)$/.test(code);
