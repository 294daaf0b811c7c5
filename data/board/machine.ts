import { notFound } from '#runtime/contract'
import { type Board, type BoardChassis, type BoardManager, type BoardSystem, entry } from './board.ts'
import type { BoardStorage } from './inventory.ts'

declare module '#runtime/contract' {
  interface Machine extends Inventory {}
}

/** The parts of the board, by ids that clients name. Each method ends the request with 404 where there is none. */
export class Inventory {
  readonly board: Board

  constructor(board: Board) {
    this.board = board
  }

  system(id: string): BoardSystem {
    return entry(this.board.systems, id) ?? notFound()
  }

  chassis(id: string): BoardChassis {
    return entry(this.board.chassis, id) ?? notFound()
  }

  manager(id: string): BoardManager {
    return entry(this.board.managers, id) ?? notFound()
  }

  storage(system: string, id: string): BoardStorage {
    return entry(this.system(system).storage, id) ?? notFound()
  }
}
