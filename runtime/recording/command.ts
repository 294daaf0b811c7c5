import { existsSync, statSync } from 'node:fs'
import process from 'node:process'
import { SettingsError } from '#data/configuration'
import { replaceFile } from '#runtime/base/files.ts'
import { readBoard } from '#runtime/command/board-file.ts'
import { readJson } from '#runtime/command/settings.ts'
import type { Host } from '#runtime/open/options.ts'
import { aliasesOf, typeAt } from './aliases.ts'
import { Redactor } from './redaction/redact.ts'
import { Redaction } from './redaction/redaction.ts'
import { isObject, type Resource, type Resources } from './resources.ts'
import { boardOf } from './serving/board.ts'
import { sourceOf } from './serving/live.ts'
import { writesOf } from './serving/writes.ts'
import { accountsAt, listen } from './source/events.ts'
import type { StreamLimits } from './source/reader.ts'
import { isUrl, numberIn, parseSourceFlags, printable, readSource, serviceAt, sourceHelp } from './source/source.ts'
import { trial } from './trial.ts'

const help = `Usage: minnow record URL|DIR|ARCHIVE -o BOARD [options]
       minnow record BOARD

Records a Redfish service, or a mockup of one in a folder, .tar.gz or .zip, as a board: minnow --board BOARD serves it.
Secrets and addresses do not get into it. Says what will not work when it is served. Of a board that was recorded,
lists what is live and what is served as it was recorded.

  -o BOARD      the file to write, or a folder: each mockup becomes a file in it
  --redact      replaces everything that identifies the machine, too: serial numbers, UUIDs, names of hosts and persons;
                reports what was removed, and what to review
  --events N    then records the events that the service sends in N seconds, in a file beside BOARD: a scenario of a
                fleet replays it
  --bytes N     bytes of these events at most (default 8388608)
  --writes W    a PATCH of properties that nothing declares as writable: remember (default) or refuse
${sourceHelp}`

/**
 * `minnow record …`.
 *
 * @throws SettingsError; Error in one line where the source cannot be recorded
 */
export async function record(args: readonly string[], host: Host): Promise<void> {
  const from = args[0]?.startsWith('-') ? undefined : args[0]
  const rest = from === undefined ? args : args.slice(1)
  const options = rest.map((each) => (each === '-o' ? '--output' : each))
  const given = parseSourceFlags(options, ['output', 'writes', 'events', 'bytes'], ['--redact'])
  if (from === undefined || given.has('help')) {
    process.stdout.write(help)
    return
  }
  const output = given.get('output')
  if (output === undefined) return list(from)
  const writes = given.get('writes') ?? 'remember'
  if (!writesOf.some((each) => each === writes)) throw new SettingsError(`--writes is one of ${writesOf.join(', ')}`)
  if (given.has('events') && !isUrl(from)) throw new SettingsError(`--events needs a service; ${from} is no URL`)
  const limits = { seconds: numberIn(given, 'events', 1), bytes: numberIn(given, 'bytes', 8_388_608) }
  const unrecorded = (line: string) => process.stderr.write(`minnow: not recorded: ${printable(line)}\n`)
  const found = await readSource(from, given, unrecorded)
  const names = [...found.keys()]
  const isFolder = existsSync(output) && statSync(output).isDirectory()
  if (names.length > 1 && !isFolder)
    throw new SettingsError(`${from} has several mockups, ${names.join(', ')}: -o must be a folder for their boards`)
  for (const [name, read] of found) {
    const own = name === '' ? from.replace(/\/+$/, '').replace(/^.*\/|\.(zip|tgz|tar\.gz)$/g, '') : name
    const file = isFolder ? `${output}/${own.replace(/[^\w.-]+/g, '-')}.json` : output
    const heard = given.has('events') ? await listenAt(from, read, given, limits, unrecorded) : undefined
    const redaction = new Redaction()
    const redactor = new Redactor(read, given.has('redact'), redaction, heard?.events, heard?.accounts)
    const resources = redactor.resources()
    const events = redactor.events()
    const board = boardOf(resources, readBoard('sim', host.documents), file.replace(/^.*\/|\.json$/g, ''))
    replaceFile(
      file,
      `${JSON.stringify({ ...board, writes, resources: Object.fromEntries(resources) }, undefined, 1)}\n`
    )
    if (given.has('redact')) for (const line of redaction.lines()) process.stderr.write(`minnow: ${line}\n`)
    await trial(file, resources, host, (line) => process.stderr.write(`minnow: will not work: ${printable(line)}\n`))
    process.stdout.write(`minnow: ${resources.size} resources recorded in ${file}\n`)
    if (heard !== undefined) writeEvents(events, `${file.replace(/\.json$/, '')}.events.jsonl`)
  }
}

/** The events of a service, and the accounts whose names these may have. @throws SettingsError */
async function listenAt(
  from: string,
  resources: Resources,
  given: ReadonlyMap<string, string>,
  limits: StreamLimits,
  said: (line: string) => void
) {
  const service = serviceAt(from, given)
  const accounts = given.has('redact') ? await accountsAt(service, resources, said) : []
  const begun = () => process.stdout.write(`minnow: recording events for ${limits.seconds} s\n`)
  return { accounts, events: await listen(service, resources, limits, begun, said) }
}

/** A line for each Event resource. */
function writeEvents(events: readonly Resource[], file: string): void {
  const count = events.flatMap(({ Events }) => Events).length
  if (count > 0) replaceFile(file, events.map((each) => `${JSON.stringify(each)}\n`).join(''))
  const where = count > 0 ? ` in ${file}` : ''
  process.stdout.write(`minnow: ${count} events recorded${where}\n`)
}

/** Prints a line for each resource of a recording. @throws SettingsError */
function list(file: string): void {
  const isSource =
    isUrl(file) || /\.(zip|tgz|tar\.gz)$/.test(file) || (existsSync(file) && statSync(file).isDirectory())
  if (isSource) throw new SettingsError(`-o BOARD is missing: the file for what is recorded of ${file}`)
  const resources = resourcesIn(file)
  const aliases = aliasesOf(resources)
  for (const [path, resource] of resources)
    process.stdout.write(`${sourceOf(typeAt(path, resource, aliases), path, aliases)} ${path}\n`)
}

/** The resources in a recording. @throws SettingsError */
export function resourcesIn(file: string): Resources {
  const board = readJson(file)
  if (!isObject(board) || !isObject(board.resources)) throw new SettingsError(`${file} is not a recording`)
  return new Map(Object.entries(board.resources) as [string, Resource][])
}
