/** Checks registries of messages and of BIOS attributes. */
/** @import { Sources } from '../sources.mjs' */
/** @import { JsonFile } from '../json-files.mjs' */
import { basename } from 'node:path'
import { registrySchemas } from '../registry-schemas.mjs'
import { mistake, shown } from './mistakes.mjs'

/**
 * The mistakes of message registries, a line each.
 *
 * @param {readonly JsonFile[]} files
 * @param {Pick<Sources, 'contract' | 'schema'>} sources
 */
export function messageRegistryMistakes(files, { contract, schema }) {
  /** @type {Map<string, string>} */
  const known = new Map()
  return files.flatMap(({ file, value }) => {
    const faults = structureMistakes(file, value, 'MessageRegistry', schema)
    if (faults.length > 0) return faults
    const { Id, RegistryPrefix: prefix, RegistryVersion: version, Messages } = value
    const before = known.get(prefix)
    known.set(prefix, file)
    if (before !== undefined)
      return [mistake(file, `is the registry ${prefix}, as ${shown(before)} is`, 'put its messages into one of them')]
    if (contract.registryVersion(prefix) === '')
      faults.push(mistake(file, `no message of ${prefix} is known`, 'import it in runtime/contract/messages.ts'))
    if (Id !== `${prefix}.${version}`) faults.push(mistake(file, `its Id is ${Id}`, `write ${prefix}.${version}`))
    return [...faults, ...Object.entries(Messages).flatMap(([key, message]) => messageMistakes(file, key, message))]
  })
}

/**
 * @typedef {import('#runtime/contract').MessageDefinition & {
 *   readonly Description: string, readonly NumberOfArgs: number, readonly ParamTypes: readonly string[]
 * }} MessageInFile
 */

/**
 * @param {string} file
 * @param {string} key
 * @param {MessageInFile} message
 */
function messageMistakes(
  file,
  key,
  { Description, Message, MessageSeverity, NumberOfArgs, ParamTypes, Resolution, Severity }
) {
  const mistakes = []
  const places = [...new Set(Message.match(/%\d/g))].sort().join(' ')
  const wanted = Array.from({ length: NumberOfArgs }, (_, index) => `%${index + 1}`).join(' ')
  if (places !== wanted)
    mistakes.push(
      mistake(file, `NumberOfArgs of ${key} is ${NumberOfArgs}`, `use exactly ${wanted || 'no place'} in Message`)
    )
  if (ParamTypes.length !== NumberOfArgs)
    mistakes.push(
      mistake(file, `${key} has ${ParamTypes.length} ParamTypes`, `write ${NumberOfArgs}, one for each argument`)
    )
  if (Severity !== MessageSeverity)
    mistakes.push(mistake(file, `Severity of ${key} is ${Severity}`, `write ${MessageSeverity}, as MessageSeverity`))
  for (const [name, text] of Object.entries({ Description, Message, Resolution })) {
    if (!/^[A-Z%].*\.$/.test(text))
      mistakes.push(mistake(file, `${name} of ${key} is not a sentence`, 'write one, with a full stop'))
  }
  return mistakes
}

/**
 * The mistakes of attribute registries, a line each.
 *
 * @param {readonly JsonFile[]} files
 * @param {Pick<Sources, 'schema' | 'registryFaults'>} sources
 */
export function attributeRegistryMistakes(files, { schema, registryFaults }) {
  return files.flatMap(({ file, value }) => {
    const faults = structureMistakes(file, value, 'AttributeRegistry', schema)
    if (faults.length > 0) return faults
    if (`${value.Id}.json` !== basename(file))
      faults.push(mistake(file, `its Id is ${value.Id}`, `name it ${value.Id}.json`))
    return [...faults, ...registryFaults(value).map((fault) => mistake(file, fault, 'see DSP0268, AttributeRegistry'))]
  })
}

/**
 * @param {string} file
 * @param {unknown} value
 * @param {string} type
 * @param {Sources['schema']} schemas
 */
function structureMistakes(file, value, type, { fileFaults }) {
  const schema = registrySchemas.find(({ title }) => title?.endsWith(`.${type}`))
  return schema === undefined
    ? []
    : fileFaults(schema, value).map((fault) => mistake(file, fault, `see DSP0268, ${type}`))
}
