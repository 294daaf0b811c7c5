import { existsSync, statSync } from 'node:fs'
import process from 'node:process'
import { SettingsError } from '#data/configuration'
import { replaceFile } from '#runtime/base/files.ts'
import { readBoard } from '#runtime/command/board-file.ts'
import { parseFlags, readJson } from '#runtime/command/settings.ts'
import type { Host } from '#runtime/open/options.ts'
import { aliasesOf } from './aliases.ts'
import { redacted } from './redaction/redact.ts'
import { Redaction } from './redaction/redaction.ts'
import { isObject, type Resource, type Resources, typeOf } from './resources.ts'
import { boardOf } from './serving/board.ts'
import { sourceOf } from './serving/live.ts'
import { writesOf } from './serving/writes.ts'
import { crawl } from './source/crawl.ts'
import { readMockups } from './source/mockup.ts'
import { trial } from './trial.ts'

const help = `Usage: minnow record URL|DIR|ARCHIVE -o BOARD [options]
       minnow record BOARD

Records a Redfish service, or a mockup of one in a folder, .tar.gz or .zip, as a board: minnow --board BOARD serves it.
Secrets and addresses do not get into it. Says what will not work when it is served. Of a board that was recorded,
lists what is live and what is served as it was recorded.

  -o BOARD      the file to write, or a folder: each mockup becomes a file in it
  --user NAME   of the service; the environment variable MINNOW_RECORD_PASSWORD has the password
  --insecure    any certificate of the service will do
  --redact      replaces everything that identifies the machine, too: serial numbers, UUIDs, names of hosts and persons;
                reports what was removed, and what to review
  --writes W    a PATCH of properties that nothing declares as writable: remember (default) or refuse
  --most N      resources at most (default 20000)
  --time N      seconds that an answer may take at most (default 60)
  --tries N     how often a service that says that it is busy is asked for a resource (default 5)
  --wait N      seconds at most before it is asked again (default 60)
`

/**
 * `minnow record …`.
 *
 * @throws SettingsError; Error in one line where the source cannot be recorded
 */
export async function record(args: readonly string[], host: Host): Promise<void> {
  const from = args[0]?.startsWith('-') ? undefined : args[0]
  const rest = from === undefined ? args : args.slice(1)
  const switches = new Set<string>(rest.filter((each) => each === '--insecure' || each === '--redact'))
  const options = rest.filter((each) => !switches.has(each)).map((each) => (each === '-o' ? '--output' : each))
  const given = parseFlags(options, ['output', 'user', 'writes', 'most', 'time', 'tries', 'wait'])
  if (from === undefined || given.has('help')) {
    process.stdout.write(help)
    return
  }
  const output = given.get('output')
  if (output === undefined) return list(from)
  const number = (name: string, otherwise: number) => {
    const value = Number(given.get(name) ?? otherwise)
    if (!(value > 0)) throw new SettingsError(`--${name} must be a number above 0`)
    return value
  }
  const writes = given.get('writes') ?? 'remember'
  if (!writesOf.some((each) => each === writes)) throw new SettingsError(`--writes is one of ${writesOf.join(', ')}`)
  const most = number('most', 20_000)
  const said = (line: string) => process.stderr.write(`minnow: not recorded: ${printable(line)}\n`)
  const found = /^https?:\/\//.test(from)
    ? new Map([
        [
          '',
          await crawl(
            {
              ...credentials(from, given.get('user')),
              insecure: switches.has('--insecure'),
              time: number('time', 60),
              tries: number('tries', 5),
              wait: number('wait', 60),
              most
            },
            said
          )
        ]
      ])
    : readMockups(existing(from), most, said)
  const names = [...found.keys()]
  const isFolder = existsSync(output) && statSync(output).isDirectory()
  if (names.length > 1 && !isFolder)
    throw new SettingsError(`${from} has several mockups, ${names.join(', ')}: -o must be a folder for their boards`)
  if (names.length === 0) throw new RangeError(`${from}: there is no service root`)
  for (const [name, read] of found) {
    const own = name === '' ? from.replace(/\/+$/, '').replace(/^.*\/|\.(zip|tgz|tar\.gz)$/g, '') : name
    const file = isFolder ? `${output}/${own.replace(/[^\w.-]+/g, '-')}.json` : output
    const redaction = new Redaction()
    const resources = redacted(read, switches.has('--redact'), redaction)
    const board = boardOf(resources, readBoard('sim', host.documents), file.replace(/^.*\/|\.json$/g, ''))
    replaceFile(
      file,
      `${JSON.stringify({ ...board, writes, resources: Object.fromEntries(resources) }, undefined, 1)}\n`
    )
    if (switches.has('--redact')) for (const line of redaction.lines()) process.stderr.write(`minnow: ${line}\n`)
    await trial(file, resources, host, (line) => process.stderr.write(`minnow: will not work: ${printable(line)}\n`))
    process.stdout.write(`minnow: ${resources.size} resources recorded in ${file}\n`)
  }
}

const printable = (line: string) => line.replace(/[^ -~]/g, '?')

/** @throws SettingsError */
function credentials(from: string, user: string | undefined) {
  let url: URL
  try {
    url = new URL(from)
  } catch {
    throw new SettingsError(`${from} is not a URL`)
  }
  if (url.protocol === 'http:')
    process.stderr.write(
      'minnow: warning: over http:// nothing proves whose resources these are, and anyone on the way reads and changes them, the password too\n'
    )
  if (url.username !== '') throw new SettingsError('names and passwords do not belong in a URL: see --user')
  const password = process.env.MINNOW_RECORD_PASSWORD ?? ''
  const authorization = user === undefined ? undefined : `Basic ${btoa(`${user}:${password}`)}`
  return { url, authorization }
}

/** @throws SettingsError */
function existing(from: string): string {
  if (!existsSync(from))
    throw new SettingsError(`${from} is no folder, no archive and no URL that begins with https:// or http://`)
  return from
}

/** Prints a line for each resource of a recording. @throws SettingsError */
function list(file: string): void {
  const board = readJson(file)
  if (!isObject(board) || !isObject(board.resources))
    throw new SettingsError(`${file} is not a recording: -o is missing`)
  const resources: Resources = new Map(Object.entries(board.resources) as [string, Resource][])
  const aliases = aliasesOf(resources)
  for (const [path, resource] of resources)
    process.stdout.write(`${sourceOf(typeOf(resource), path, aliases)} ${path}\n`)
}
