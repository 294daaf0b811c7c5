import { notFound } from '#runtime/contract'
import {
  type Board,
  type BoardBootOption,
  type BoardChassis,
  type BoardManager,
  type BoardSystem,
  entry
} from './board.ts'
import type { BoardStorage, Label } from './inventory.ts'

declare module '#runtime/contract' {
  interface Machine extends Inventory {}
}

/** The parts of the board, by ids from clients. Each method ends the request with 404 for an unknown id. */
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

  /** The serial number of a part, which in one of many machines that are alike is its own. */
  serialNumber({ serialNumber }: { readonly serialNumber?: string | undefined }): string | undefined {
    return serialNumber && (this.board.individual?.serialNumber(serialNumber) ?? serialNumber)
  }

  /** How a part is labelled, as resources of all kinds of parts show it. */
  label(part: Label) {
    return {
      Manufacturer: part.manufacturer,
      Model: part.model,
      PartNumber: part.partNumber,
      SerialNumber: this.serialNumber(part),
      SparePartNumber: part.sparePartNumber
    }
  }

  /** The boot options of a system, whose paths lead to its own ports (UEFI 10.6.1.12). */
  bootOptions(system: string): readonly BoardBootOption[] {
    const { individual } = this.board
    const { bootOptions = [] } = this.system(system)
    if (individual === undefined) return bootOptions
    return bootOptions.map(({ uefiDevicePath, ...option }) => ({
      ...option,
      uefiDevicePath: uefiDevicePath.replace(/(?<=MAC\()[\dA-F]{12}/g, (mac) => individual.address(mac))
    }))
  }

  storage(system: string, id: string): BoardStorage {
    return entry(this.system(system).storage, id) ?? notFound()
  }
}
