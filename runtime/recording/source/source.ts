import { existsSync } from 'node:fs'
import process from 'node:process'
import { SettingsError } from '#data/configuration'
import { parseFlags } from '#runtime/command/settings.ts'
import type { Resources } from '../resources.ts'
import { crawl } from './crawl.ts'
import { readMockups } from './mockup.ts'
import type { Source } from './reader.ts'

/** The options of each command that reads a source, for its help. */
export const sourceHelp = `  --user NAME   of the service; the environment variable MINNOW_RECORD_PASSWORD has the password
  --insecure    any certificate of the service will do
  --most N      resources at most (default 20000)
  --time N      seconds that an answer may take at most (default 60)
  --tries N     how often a service that says that it is busy is asked for a resource (default 5)
  --wait N      seconds at most before it is asked again (default 60)
`

/**
 * The options on a command line, those of a source included. @param known others with a value @param switches others
 * without one @throws SettingsError for unknown ones
 */
export function parseSourceFlags(args: readonly string[], known: readonly string[], switches: readonly string[] = []) {
  const isSwitch = (each: string) => each === '--insecure' || switches.includes(each)
  const options = args.filter((each) => !isSwitch(each))
  const given = parseFlags(options, [...known, 'user', 'most', 'time', 'tries', 'wait'])
  for (const each of args.filter(isSwitch)) given.set(each.slice(2), '')
  return given
}

export const isUrl = (from: string) => /^https?:\/\//.test(from)

/**
 * Reads a service, or the mockups in a folder or archive.
 *
 * @param given the options
 * @param said called with what cannot be read, and why
 * @returns the resources of each mockup by its name; of a service, and of a mockup that is alone, the name is empty
 * @throws SettingsError; Error in one line where the source cannot be read
 */
export async function readSource(
  from: string,
  given: ReadonlyMap<string, string>,
  said: (line: string) => void
): Promise<ReadonlyMap<string, Resources>> {
  const heard = (line: string) => said(printable(line))
  if (isUrl(from)) {
    const service = serviceAt(from, given)
    if (service.url.protocol === 'http:')
      process.stderr.write(
        'minnow: warning: over http:// nothing proves whose resources these are, and anyone on the way reads and changes them, the password too\n'
      )
    return new Map([['', await crawl(service, heard)]])
  }
  const mockups = readMockups(existing(from), numberIn(given, 'most', 20_000), heard)
  if (mockups.size === 0) throw new RangeError(`${from}: there is no service root`)
  return mockups
}

/** A service by its URL. @param given the options @throws SettingsError */
export function serviceAt(from: string, given: ReadonlyMap<string, string>): Source {
  return {
    ...credentials(from, given.get('user')),
    insecure: given.has('insecure'),
    most: numberIn(given, 'most', 20_000),
    time: numberIn(given, 'time', 60),
    tries: numberIn(given, 'tries', 5),
    wait: numberIn(given, 'wait', 60)
  }
}

/** The number that an option gives. @throws SettingsError if it is not above 0 */
export function numberIn(given: ReadonlyMap<string, string>, name: string, otherwise: number): number {
  const value = Number(given.get(name) ?? otherwise)
  if (!(value > 0)) throw new SettingsError(`--${name} must be a number above 0`)
  return value
}

/** A text of a source, for a terminal. */
export const printable = (line: string) => line.replace(/[^ -~]/g, '?')

/** @throws SettingsError */
function credentials(from: string, user: string | undefined) {
  let url: URL
  try {
    url = new URL(from)
  } catch {
    throw new SettingsError(`${from} is not a URL`)
  }
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
