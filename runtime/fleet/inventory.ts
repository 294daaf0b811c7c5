import { replaceFile } from '#runtime/base/files.ts'
import type { Controller } from './controller.ts'

/** A controller in the list of all, for the software under test. */
export interface Member extends ReturnType<Controller['identity']> {
  readonly number: number
  readonly url: string
}

/** Writes `inventory.json`: a line for each controller, JSON all together. */
export function replaceInventory(data: string, members: readonly Member[]): void {
  replaceFile(`${data}/inventory.json`, `[\n${members.map((each) => JSON.stringify(each)).join(',\n')}\n]\n`)
}
