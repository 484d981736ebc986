import type { GateBoard } from "contract/gate";
import { count } from "#lib/format.ts";
import { FigureCard } from "#ui/figures/figure-card.tsx";
import { FigureRow } from "#ui/figures/figure-row.tsx";
import { insideTwice, presenceOf, type Inflow } from "./model.ts";

export function Figures({ board: { totals, ...board }, inflow }: { board: GateBoard; inflow: Inflow }) {
  const { people, vehicles } = presenceOf({ totals, ...board });
  return (
    <FigureRow>
      <FigureCard
        label="Inside Now"
        value={people.inside}
        note={[insideTwice(totals), `${count(vehicles.inside, "vehicle")} parked`].filter(Boolean).join("; ")}
      />
      <FigureCard
        label="Still to Arrive"
        value={people.toCome}
        note={`${count(vehicles.toCome, "vehicle")} to arrive`}
      />
      <FigureCard label="Last Minute" value={inflow.rate} note="Let in at all entrances" />
      <FigureCard
        label="Refused"
        value={totals.refused}
        note={`Last 24 hours; ${count(totals.undone, "entry", "entries")} undone`}
      />
    </FigureRow>
  );
}
