import type { UseQueryResult } from "@tanstack/react-query";

/**
 * Returns the data of a query for a button press, waiting for a read in progress. Retries a failed read.
 * @throws Error why it could not be read
 */
export async function answerOf<Data>({
  data,
  isPlaceholderData,
  refetch,
}: UseQueryResult<Data>): Promise<Data> {
  if (data !== undefined && !isPlaceholderData) return data;
  return (await refetch({ cancelRefetch: false, throwOnError: true })).data!;
}
