import { existsSync, writeFileSync } from 'node:fs'
import process from 'node:process'
import { SettingsError } from '#data/configuration'
import { emptyStore, isLayoutName, type LayoutName, storeInFile } from '#hal/edk2/devices.ts'
import { attributesText, printable, variableText } from '#hal/uefi/rendering.ts'

const usage = 'usage: minnow nvram create FILE [--layout 4M|2M|virt], or minnow nvram list FILE'

/**
 * `minnow nvram …`: UEFI variable stores in files, without a service.
 *
 * @param args what follows `nvram` on the command line
 * @returns the exit status: 1 where there is no sound store
 * @throws SettingsError for an unknown command; Error when the file cannot be used
 */
export function nvramCommand(args: readonly string[]): number {
  const [verb, file = '', option, layout = '4M', ...rest] = args
  const plain = option === undefined && args.length === 2
  if (verb === 'list' && file !== '' && plain) return list(file)
  const laidOut = option === '--layout' && args.length === 4
  if (verb !== 'create' || file === '' || !(plain || laidOut) || rest.length > 0) throw new SettingsError(usage)
  if (!isLayoutName(layout)) throw new SettingsError(`there is no layout ${layout}: 4M, 2M and virt are known`)
  return create(file, layout)
}

/** Creates an empty store for firmware with that layout. @throws Error if the file exists */
function create(file: string, layout: LayoutName): number {
  if (existsSync(file)) throw new Error(`${file} already exists`)
  writeFileSync(file, emptyStore(layout), { flag: 'wx' })
  return 0
}

/**
 * Prints a line for each variable: name, GUID, attributes, size of the data in bytes and value, separated by tabs.
 * Faults of the store go to standard error.
 */
function list(file: string): number {
  const store = storeInFile(file)
  for (const fault of store.health.faults) process.stderr.write(`minnow: ${file}: ${store.health.state}: ${fault}\n`)
  for (const { name, guid } of store.list()) {
    const variable = store.get(name, guid)!
    const { attributes, data } = variable
    const fields = [printable(name), guid, attributesText(attributes), data.length, variableText(variable)]
    process.stdout.write(`${fields.join('\t')}\n`)
  }
  return store.health.state === 'ok' ? 0 : 1
}
