import { readFileSync } from 'node:fs'
import { gunzipSync } from 'fflate'
import { type BackendOptions, type Board, boardFaults } from '#data/board'
import { SettingsError } from '#data/configuration'
import type { Documents } from '#runtime/store/documents.ts'

/**
 * A board by its name in `data/boards`, or from a file.
 *
 * @param backends those of the host
 * @throws SettingsError with what is wrong with it
 */
export function readBoard(nameOrFile: string, documents: Documents, backends: BackendOptions): Board {
  const known = documents.get(`boards/${nameOrFile}.json`)
  if (known === undefined && !/[./]/.test(nameOrFile)) {
    const names = documents.names.filter((name) => name.startsWith('boards/')).map((name) => name.slice(7, -5))
    throw new SettingsError(`there is no board ${nameOrFile}: known are ${names.join(', ')}, or a file`)
  }
  try {
    const text = known === undefined ? readFileSync(nameOrFile, 'utf8') : new TextDecoder().decode(gunzipSync(known))
    const board = JSON.parse(text) as Board
    const [fault] = boardFaults(board, backends)
    if (fault !== undefined) throw new SettingsError(fault)
    for (const { attributeRegistry } of Object.values(board.systems)) {
      if (documents.get(`registries/${attributeRegistry}.json`) !== undefined) continue
      throw new SettingsError(`there is no attribute registry ${attributeRegistry}`)
    }
    return board
  } catch (error) {
    throw new SettingsError(`board ${nameOrFile}: ${(error as Error).message}`)
  }
}
