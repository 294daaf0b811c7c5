import { existsSync } from 'node:fs'
import process from 'node:process'
import { SettingsError } from '#data/configuration'
import { replaceFile } from '#runtime/base/files.ts'
import { readBoard } from '#runtime/command/board-file.ts'
import { parseFlags, readJson } from '#runtime/command/settings.ts'
import type { Host } from '#runtime/open/options.ts'
import { aliasesOf } from './aliases.ts'
import { boardOf } from './board.ts'
import { crawl } from './crawl.ts'
import { sourceOf } from './live.ts'
import { readMockup } from './mockup.ts'
import { redacted } from './redact.ts'
import { isObject, type Resource, type Resources, typeOf } from './resources.ts'

const help = `Usage: minnow record URL|DIR -o BOARD [options]
       minnow record BOARD

Records a Redfish service, or a mockup of one in a folder, as a board: minnow --board BOARD serves it. Secrets and
addresses do not get into it. Of a board that was recorded, lists what is live and what is served as it was recorded.

  -o BOARD      the file to write
  --user NAME   of the service; the environment variable MINNOW_RECORD_PASSWORD has the password
  --insecure    any certificate of the service will do
  --redact      serial numbers, UUIDs, host names, asset tags and names of users do not get into it either
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
  const given = parseFlags(options, ['output', 'user', 'most', 'time', 'tries', 'wait'])
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
  const most = number('most', 20_000)
  const said = (line: string) => process.stderr.write(`minnow: not recorded: ${line.replace(/[^ -~]/g, '?')}\n`)
  const read = /^https?:\/\//.test(from)
    ? await crawl(
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
    : readMockup(folder(from), most, said)
  const resources = redacted(read, switches.has('--redact'))
  const name = output.replace(/^.*\/|\.json$/g, '')
  const board = boardOf(resources, readBoard('sim', host.documents), name)
  replaceFile(output, `${JSON.stringify({ ...board, resources: Object.fromEntries(resources) }, undefined, 1)}\n`)
  process.stdout.write(`minnow: ${resources.size} resources recorded in ${output}\n`)
}

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

function folder(from: string): string {
  if (!existsSync(from))
    throw new SettingsError(`${from} is neither a folder nor a URL that begins with https:// or http://`)
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
