import type { Board, BoardSystem } from '#data/board'

/** A board with systems whose variables the controller does not reach, and nothing that is in them. */
export function withoutVariables(board: Board): Board {
  const systems = Object.entries(board.systems).map(([id, system]) => [id, systemWithoutVariables(system)])
  return { ...board, systems: Object.fromEntries(systems) }
}

/** One such system. */
export function systemWithoutVariables<S extends Partial<BoardSystem>>(system: S) {
  const { nvram, bootOptions, factoryKeys, attributeRegistry, biosDevices, powerMode, ...others } = system
  return others
}
