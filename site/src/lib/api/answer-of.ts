import type { UseQueryResult } from "@tanstack/react-query";

/**
 * What a press needs of a read: its answer, or that of the read under way. One that failed is made again.
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
