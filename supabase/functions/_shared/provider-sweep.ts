// A sweep of the payment provider's newest-first lists that takes several runs, as stored in its row. Times are in milliseconds
// since the epoch.
export interface ProviderSweep {
  readonly beganAt: number;
  /** Nothing older is requested. */
  readonly from: number;
  /** Id of the last item processed. */
  readonly after: string;
}

export interface SweepRow {
  readonly complete_to: string | null;
  readonly began_at: string | null;
  readonly created_from: string | null;
}

/** `after`: the row's column with the id of the last item processed. */
export function sweepOf(row: SweepRow, after: string | null): ProviderSweep | undefined {
  const { began_at: began, created_from: from } = row;
  if (began === null || from === null || after === null) return undefined;
  return { beganAt: Date.parse(began), from: Date.parse(from), after };
}

export const completeToOf = ({ complete_to: time }: SweepRow): number | undefined =>
  time === null ? undefined : Date.parse(time);

export const sweepRow = (completeTo: number | undefined, pass: ProviderSweep | undefined): SweepRow => ({
  complete_to: timeOf(completeTo),
  began_at: timeOf(pass?.beganAt),
  created_from: timeOf(pass?.from),
});

const timeOf = (milliseconds: number | undefined): string | null =>
  milliseconds === undefined ? null : new Date(milliseconds).toISOString();
