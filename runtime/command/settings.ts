import { readFileSync } from 'node:fs'
import process from 'node:process'
import { passwordLacks } from '#data/accounts'
import { type Configuration, configurationSchema, configuration as defaults, SettingsError } from '#data/configuration'
import { complete, fileFaults } from '#runtime/schema'
import { parseJson } from './json.ts'

/** The wish of the person who starts the service. */
export type Wish = { readonly show: 'help' | 'version' | 'licenses' } | Start

export interface Start {
  readonly configuration: Configuration
  readonly adminPassword: string | undefined
  /** Whether a flag or the environment names the port. */
  readonly namesPort: boolean
}

/** Flags, and environment variables as `MINNOW_<FLAG>`; each sets the member of the configuration of its name. */
const flags = ['port', 'address', 'data', 'board'] as const

export const help = `Usage: minnow [options]
       minnow nvram create FILE [--layout 4M|2M|virt]
       minnow nvram list FILE
       minnow schema board|configuration|fleet
       minnow check NAME|FILE [--against URL|DIR|ARCHIVE]
       minnow fleet --help
       minnow record --help

  --port N           port to listen on (default ${defaults.port}; 0 takes a free one)
  --address ADDRESS  address to listen on (default ${defaults.address})
  --data DIR         where state, key and certificate are kept (default ${defaults.data})
  --board NAME|FILE  the machine that is managed (default ${defaults.board})
  --config FILE      configuration, a JSON file
  --help             print this
  --version          print the version
  --licenses         print the terms of all that is in the program

nvram create makes an empty store of UEFI variables in the layout of OVMF's 4M builds (default) or 2M builds, or of
the firmware of QEMU's machines virt.
nvram list prints a line for each variable of a store: name, GUID, attributes, bytes and what it says, with tabs between
them; what is wrong with the store goes to standard error, and makes the exit status 1 if it cannot be read.
schema prints the JSON Schema of such files, with which an editor completes and checks them.
check looks at a board file: the first fault goes to standard error, and the exit status is 2.
Of a recording, check --against prints which resources are live, equal, different or missing in comparison with its
source, and why; the exit status is 1 if a reason is not known. It takes the options of minnow record for the source.

Environment: MINNOW_PORT, MINNOW_ADDRESS, MINNOW_DATA, MINNOW_BOARD and MINNOW_CONFIG stand for the options.
MINNOW_ADMIN_PASSWORD, or the file that MINNOW_ADMIN_PASSWORD_FILE names, sets the password of the first
administrator, "admin"; without either one is generated and printed once.
`

/**
 * Settings by rising weight: defaults, configuration file, environment, flags.
 *
 * @param args the command line without the program
 * @throws SettingsError
 */
export function readSettings(args: readonly string[], environment: NodeJS.ProcessEnv = process.env): Wish {
  const given = parseFlags(args, [...flags, 'config'])
  if (given.has('help')) return { show: 'help' }
  if (given.has('version')) return { show: 'version' }
  if (given.has('licenses')) return { show: 'licenses' }
  const from = (name: string) => given.get(name) ?? environment[`MINNOW_${name.toUpperCase()}`]
  const file = from('config')
  const inFile = file === undefined ? {} : check(readJson(file), `${file}: `)
  const flagged = flags.flatMap((flag) => {
    const value = from(flag)
    return value === undefined ? [] : [[flag, flag === 'port' ? Number(value || 'none') : value]]
  })
  const configuration = complete(configurationSchema, { ...inFile, ...check(Object.fromEntries(flagged), '') })
  const namesPort = from('port') !== undefined
  return { configuration, adminPassword: readAdminPassword(environment, configuration), namesPort }
}

/** The options on a command line by their names. @param known those with a value @throws SettingsError for others */
export function parseFlags(args: readonly string[], known: readonly string[]): Map<string, string> {
  const given = new Map<string, string>()
  const rest = [...args]
  for (let arg = rest.shift(); arg !== undefined; arg = rest.shift()) {
    const [, name = '', inline] = /^--([a-z]+)(?:=(.*))?$/s.exec(arg) ?? []
    if (['help', 'version', 'licenses'].includes(name)) given.set(name, '')
    else if (known.includes(name)) {
      const value = inline ?? rest.shift()
      if (value === undefined) throw new SettingsError(`--${name} needs a value (see --help)`)
      given.set(name, value)
    } else throw new SettingsError(`unknown option ${arg} (see --help)`)
  }
  return given
}

/** @throws SettingsError for a file that cannot be read, or is no JSON */
export function readJson(path: string): unknown {
  let text: string
  try {
    text = readFileSync(path, 'utf8')
  } catch (error) {
    throw new SettingsError(`cannot read ${path}: ${(error as Error).message}`)
  }
  try {
    return parseJson(text)
  } catch (error) {
    throw new SettingsError(`${path} is not JSON: ${(error as Error).message}`)
  }
}

/** @throws SettingsError with the first thing that is wrong */
function check(settings: unknown, where: string): object {
  const [fault] = fileFaults(configurationSchema, settings, '.')
  if (fault !== undefined) throw new SettingsError(`${where}${fault}`)
  return settings as object
}

/** An empty password counts as absent. @throws SettingsError for a password that accounts may not have */
export function readAdminPassword(environment: NodeJS.ProcessEnv, configuration: Configuration): string | undefined {
  const file = environment.MINNOW_ADMIN_PASSWORD_FILE
  const given = environment.MINNOW_ADMIN_PASSWORD || (file && readSecret(file)) || undefined
  const lack = given === undefined ? undefined : passwordLacks(given, undefined, configuration)
  if (lack !== undefined) throw new SettingsError(`the password for the first administrator lacks ${lack}`)
  return given
}

function readSecret(file: string): string {
  try {
    return readFileSync(file, 'utf8').replace(/\r?\n$/, '')
  } catch (error) {
    throw new SettingsError(`cannot read ${file}: ${(error as Error).message}`)
  }
}
