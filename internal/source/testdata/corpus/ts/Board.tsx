import React, { useState, type ReactNode } from "react";
import Cell, { SIZE as CELL_SIZE } from "./Cell";
import styles from './board.module.css';

export type TurnState = "x" | "o" | "over";

export interface BoardProps<T> {
  cells: readonly (readonly T[])[];
  render?: (cell: T, at: [row: number, col: number]) => ReactNode;
  "data-id"?: string;
}

/** The board: one turn after the other. */
export default function Board<T extends { id: string }>({
  cells,
  render = (c) => <b title="}">{c.id}</b>,
  ...rest
}: BoardProps<T> & { size?: number }): JSX.Element | null {
  const [turn, setTurn] = useState<TurnState>("x");
  if (!cells.length) return null;
  return (
    <div {...rest} className={styles.board} style={{ width: cells.length * CELL_SIZE }}>
      {/* export const Fake = () => null; */}
      <p>Don't import x from "y"; // it's no comment {"}"} &amp; {`{${turn}`}</p>
      {cells.map((row, r) => (
        <div key={r}>
          {row.map((c, k) => (
            <Cell<T> key={c.id} onClick={() => setTurn((t) => (t === "x" ? "o" : "x"))}>
              {render(c, [r, k])}
            </Cell>
          ))}
        </div>
      ))}
      <a href="https://example.org/?q={x}">export function rules() {"{"}</a>
    </div>
  );
}

export const useGame = <T,>(initial: T[], { wrap = true, onWin }: { wrap?: boolean; onWin?: (who: string) => void } = {}) => {
  if (initial.length % 2) throw new RangeError("odd");
  const [moves, setMoves] = useState(initial);
  return { moves, undo: () => setMoves((m) => (wrap ? m.slice(0, -1) : (onWin?.("nobody"), m))) };
};

export const Row = React.memo(function Row({ children }: { children: ReactNode }) {
  if (!children) throw new Error("no children");
  return <>{children}</>;
});

export const Heavy = React.lazy(() => import("./Heavy"));

export class ErrorBoundary extends React.Component<{ children: ReactNode; fallback?: (e: Error) => ReactNode }, { failed: boolean }> {
  state = { failed: false };
  handle = (event: React.MouseEvent<HTMLElement>): void => this.setState({ failed: !event.shiftKey });

  static getDerivedStateFromError(error: Error): { failed: boolean } {
    return { failed: Boolean(error) };
  }

  /**
   * Loads the board in the background.
   * Requires: the network is up.
   */
  async load(name: "small" | "big" = "small"): Promise<void> {
    const { boards } = await import(`./boards/${name}`);
    const rules = await import('./rules');
    if (!rules.check(boards)) throw new Error("bad boards");
  }

  override render(): ReactNode {
    return this.state.failed ? <i onClick={this.handle}>failed</i> : this.props.children;
  }
}
