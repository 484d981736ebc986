import { Sign } from "../icons.tsx";

interface ScannerBarProps {
  /** Undefined when the camera has none. */
  torch: boolean | undefined;
  onTorch: () => void;
  /** Undefined while re-entry is off. */
  direction: "in" | "out" | undefined;
  onDirection: () => void;
  onSearch: () => void;
  onMenu: () => void;
}

/** The buttons under the thumb. */
export function ScannerBar(props: ScannerBarProps) {
  const { torch, direction } = props;
  return (
    <nav className="gate-bar" aria-label="Gate">
      <button type="button" onClick={props.onSearch}>
        <Sign of="search" />
        Search
      </button>
      {torch !== undefined && (
        <button type="button" aria-pressed={torch} onClick={props.onTorch}>
          <Sign of="torch" />
          Torch
        </button>
      )}
      {direction && (
        <button type="button" aria-pressed={direction === "out"} onClick={props.onDirection}>
          <Sign of="swap" />
          {direction === "out" ? "Out" : "In"}
        </button>
      )}
      <button type="button" onClick={props.onMenu}>
        <Sign of="menu" />
        Menu
      </button>
    </nav>
  );
}
