// The live board of the gate, and everything an administrator decides about it.
import { useState } from "react";
import { Button } from "#ui/basics/button.tsx";
import { LiveMark } from "#ui/figures/live-mark.tsx";
import { ScreenHead } from "#ui/page/screen-head.tsx";
import { EmptyState, ErrorState } from "#ui/page/screen-states.tsx";
import { Skeleton } from "#ui/page/skeleton.tsx";
import type { GateBoard } from "contract/gate";
import { ConflictsPanel } from "./conflicts-panel.tsx";
import { DevicesPanel } from "./devices-panel.tsx";
import { DoorsPanel } from "./doors-panel.tsx";
import { EntrancesPanel } from "./entrances-panel.tsx";
import { Figures } from "./figures.tsx";
import { InflowPanel } from "./inflow-panel.tsx";
import { InvitationsPanel } from "./invitations-panel.tsx";
import { inflowOf, isUntouched } from "./model.ts";
import { useGateBoard } from "./queries.ts";
import { RefusedPanel } from "./refused-panel.tsx";
import { ToComePanel } from "./to-come-panel.tsx";
import { useNotLiveSince } from "./use-liveness.ts";
import { Wall } from "./wall.tsx";

export function GateScreen() {
  const board = useGateBoard();
  const notLiveSince = useNotLiveSince(board);
  return (
    <>
      <ScreenHead
        title="Gate"
        actions={
          <Button asChild size="small" variant="secondary">
            <a href="/gate">Open the Gate App</a>
          </Button>
        }
        badge={
          (board.data || board.isError) && (
            <LiveMark since={notLiveSince} lost="Not live">
              Live
            </LiveMark>
          )
        }
      />
      {board.data ? (
        <Board board={board.data} notLiveSince={notLiveSince} />
      ) : board.isError ? (
        <ErrorState
          title="Error loading the gate. Please check your connection and try again."
          cause={board.error}
          onRetry={() => void board.refetch()}
        />
      ) : (
        <LoadingBoard />
      )}
    </>
  );
}

function Board({ board, notLiveSince }: { board: GateBoard; notLiveSince: number | undefined }) {
  const [onWall, setOnWall] = useState(false);
  const inflow = inflowOf(board);
  return (
    <div className="grid gap-4">
      {isUntouched(board) && (
        <EmptyState title="No scans yet">
          Phones scan at <span className="font-semibold">/gate</span>. Invite phones for a day below, or give
          staff the Gate role under Users. Entrances, scans and guests appear here automatically.
        </EmptyState>
      )}
      <Figures board={board} inflow={inflow} />
      <InflowPanel inflow={inflow} onFullScreen={() => setOnWall(true)} />
      <ConflictsPanel board={board} />
      <div className="grid items-start gap-4 xl:grid-cols-2">
        <ToComePanel board={board} />
        <RefusedPanel board={board} />
      </div>
      <DevicesPanel board={board} />
      <EntrancesPanel board={board} />
      <div className="grid items-start gap-4 xl:grid-cols-[minmax(0,2fr)_minmax(0,3fr)]">
        <DoorsPanel settings={board.settings} now={board.now} />
        <InvitationsPanel board={board} />
      </div>
      {onWall && (
        <Wall board={board} inflow={inflow} notLiveSince={notLiveSince} onClose={() => setOnWall(false)} />
      )}
    </div>
  );
}

function LoadingBoard() {
  return (
    <div role="status" className="grid gap-4">
      <span className="sr-only">Loading the gate</span>
      <div className="grid grid-cols-2 gap-3 sm:gap-4 lg:grid-cols-4">
        <Skeleton className="h-28" />
        <Skeleton className="h-28" />
        <Skeleton className="h-28" />
        <Skeleton className="h-28" />
      </div>
      <Skeleton className="h-96" />
      <Skeleton className="h-64" />
    </div>
  );
}
