import { isOutOfTime } from "./causes.ts";

const RETRIES = 2;
const RETRY_AFTER_MS = 1000;

/** For a read without the query cache: retried twice, a second apart, unless it took too long (PRODUCT 9.11). */
export async function withRetries<T>(read: () => Promise<T>, retries = RETRIES): Promise<T> {
  try {
    return await read();
  } catch (error) {
    if (retries === 0 || isOutOfTime(error)) throw error;
  }
  await new Promise((resolve) => setTimeout(resolve, RETRY_AFTER_MS));
  return withRetries(read, retries - 1);
}
