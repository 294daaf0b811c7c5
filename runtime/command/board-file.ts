import { readFileSync, statSync } from 'node:fs'
import { gunzipSync } from 'fflate'
import { type BackendOptions, type Board, boardFaults } from '#data/board'
import { SettingsError } from '#data/configuration'
import { utf8Text } from '#runtime/base/bytes.ts'
import type { BoardFile, Host } from '#runtime/open/options.ts'
import type { Backends } from '#runtime/service/machine/devices.ts'
import type { Documents } from '#runtime/store/documents.ts'
import { parseJson } from './json.ts'

/** In bytes. A board has some ten KiB; a larger file is a recording. */
const largestBoard = 1_048_576

/**
 * A board by its name in `data/boards`, or from a file; or the machine of a recording, where the host serves these.
 *
 * @returns with the back ends that it names
 * @throws SettingsError with what is wrong with it
 */
export async function readBoardFile(
  nameOrFile: string,
  host: Pick<Host, 'documents' | 'handlers' | 'loadBackends' | 'recordings' | 'unlimitHeap'>
): Promise<BoardFile & { readonly backends: Backends }> {
  return machineOf(nameOrFile, readFile(nameOrFile, host), host)
}

/**
 * The machine of a board file that was read.
 *
 * @param name of the board or the file @returns likewise @throws SettingsError likewise
 */
export async function machineOf(
  nameOrFile: string,
  read: Board,
  host: Pick<Host, 'documents' | 'handlers' | 'loadBackends' | 'recordings'>
): Promise<BoardFile & { readonly backends: Backends }> {
  const recordings = 'resources' in read ? await host.recordings?.() : undefined
  const machine = named(nameOrFile, () => recordings?.read(read, host) ?? { board: read, documents: host.documents })
  const types = typesIn(machine.board)
  const backends = await host.loadBackends((type) => types.has(type))
  const faultAmong = (all: Backends) => named(nameOrFile, () => faultOf(machine, all))
  // The message for an unknown type lists all types.
  const fault = faultAmong(backends) && faultAmong(await host.loadBackends())
  if (fault !== undefined) throw refusal(nameOrFile, fault)
  return { ...machine, backends }
}

/** A board by its name in `data/boards`, without its back ends. @throws SettingsError */
export function readBoard(name: string, documents: Documents): Board {
  const board = readFile(name, { documents })
  const fault = named(name, () => faultOf({ board, documents }))
  if (fault !== undefined) throw refusal(name, fault)
  return board
}

/** Each `type` in a part of a board: those of its back ends are among them. */
function typesIn(part: unknown, types = new Set<unknown>()): ReadonlySet<unknown> {
  if (typeof part !== 'object' || part === null) return types
  if ('type' in part) types.add(part.type)
  for (const each of Object.values(part)) typesIn(each, types)
  return types
}

/** A board of the build, or of a file, as it is written there. @throws SettingsError */
function readFile(nameOrFile: string, host: Pick<Host, 'documents' | 'recordings' | 'unlimitHeap'>): Board {
  const known = host.documents.get(`boards/${nameOrFile}.json`)
  if (known === undefined && !/[./]/.test(nameOrFile)) {
    const names = host.documents.names.filter((name) => name.startsWith('boards/')).map((name) => name.slice(7, -5))
    const known = names.length === 0 ? 'this binary has none, name a file' : `known are ${names.join(', ')}, or a file`
    throw new SettingsError(`there is no board ${nameOrFile}: ${known}`)
  }
  return named(nameOrFile, () => {
    if (known !== undefined) return JSON.parse(utf8Text(gunzipSync(known.gzip)))
    if (host.recordings && statSync(nameOrFile).size > largestBoard) host.unlimitHeap?.()
    return parseJson(readFileSync(nameOrFile, 'utf8')) as Board
  })
}

/** The first thing that is wrong with a board. @param backends declare the options that they take */
function faultOf({ board, documents }: Pick<BoardFile, 'board' | 'documents'>, backends?: BackendOptions) {
  const [fault] = boardFaults(board, backends)
  if (fault !== undefined) return fault
  for (const { attributeRegistry, bios } of Object.values(board.systems)) {
    if (attributeRegistry === undefined || bios !== undefined) continue
    if (documents.get(`registries/${attributeRegistry}.json`) !== undefined) continue
    return `there is no attribute registry ${attributeRegistry}`
  }
  return undefined
}

const refusal = (nameOrFile: string, fault: string) => new SettingsError(`board ${nameOrFile}: ${fault}`)

/** @throws SettingsError that names the board */
function named<T>(nameOrFile: string, read: () => T): T {
  try {
    return read()
  } catch (error) {
    throw refusal(nameOrFile, (error as Error).message)
  }
}

/**
 * `minnow check NAME|FILE`: whether a board file is sound, without a service; with `--against SOURCE` whether a recording
 * shows what its source does.
 *
 * @param args what follows `check` on the command line
 * @throws SettingsError with its first fault, and for an unknown command
 */
export async function checkCommand(args: readonly string[], host: Host): Promise<void> {
  const [nameOrFile, ...options] = args[0] === '--board' ? args.slice(1) : args
  const isAgainst = options.some((each) => /^--against(=|$)/.test(each))
  const recordings = isAgainst ? await host.recordings?.() : undefined
  if (nameOrFile !== undefined && recordings !== undefined) {
    host.unlimitHeap?.()
    return await recordings.check(nameOrFile, options, host)
  }
  if (nameOrFile === undefined || options.length > 0)
    throw new SettingsError('usage: minnow check NAME|FILE [--against URL|DIR|ARCHIVE]')
  await readBoardFile(nameOrFile, host)
}
