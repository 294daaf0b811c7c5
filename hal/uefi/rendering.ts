import { hex } from '#runtime/base/bytes.ts'
import { HalError } from '../errors.ts'
import type { Variable } from '../nvram.ts'
import { attribute } from './attributes.ts'
import { readBootNumbers, readBootOption } from './boot.ts'
import { devicePathText } from './device-path.ts'
import { readSignatureLists, signaturesOf, signatureTypes } from './signature-list.ts'
import { bootVariable, globalGuid, secureBootVariables } from './variables.ts'

/** The most characters of a rendering. */
const longest = 100
const shownBytes = 32

const letters = [
  [attribute.nonVolatile, 'NV'],
  [attribute.bootService, 'BS'],
  [attribute.runtime, 'RT'],
  [attribute.hardwareError, 'HR'],
  [attribute.countBased, 'AW'],
  [attribute.timeBased, 'AT'],
  [attribute.enhanced, 'EA']
] as const

/** The attributes of a variable by the usual two letters each, `NV+BS+RT`. */
export function attributesText(attributes: number): string {
  return letters.flatMap(([bit, text]) => (attributes & bit ? text : [])).join('+')
}

/** The value of a variable for people, on one line of at most 100 printable characters. */
export function variableText(variable: Variable): string {
  try {
    const text = meaning(variable)
    return text === undefined ? plain(variable.data) : printable(text)
  } catch (error) {
    if (!(error instanceof HalError)) throw error
    return plain(variable.data)
  }
}

/** Text with control characters made visible, and cut if it is long. */
export function printable(text: string): string {
  const shown = text.replace(
    /[^\x20-\x7e\xa1-\u1fff\u2070-\ud7ff]/g,
    (each) => `\\u${each.charCodeAt(0).toString(16).padStart(4, '0')}`
  )
  return shown.length > longest ? `${shown.slice(0, longest - 1)}…` : shown
}

/** Of the variables that the specification gives a form. @throws {HalError} `EINVAL` for a boot option without it */
function meaning({ name, guid, data }: Variable): string | undefined {
  if (Object.values(secureBootVariables).some((each) => each.name === name && each.guid === guid)) {
    const { lists, sound } = readSignatureLists(data)
    if (!sound) return undefined
    const types = signaturesOf(lists).map(({ type }) => signatureTypes[type] ?? type)
    return [...new Set(types)].map((type) => `${types.filter((each) => each === type).length} ${type}`).join(', ')
  }
  if (guid !== globalGuid) return undefined
  if (name === 'BootOrder' || name === 'BootNext') {
    return readBootNumbers(data)
      .map((number) => bootVariable(number).name)
      .join(' ')
  }
  if (!/^Boot[0-9A-F]{4}$/.test(name)) return undefined
  const { description, devicePath } = readBootOption(data)
  return `${description}: ${devicePathText(devicePath)}`
}

/** Text, with or without a final NUL, if the bytes are text; else digits. */
function plain(data: Uint8Array): string {
  const text = data.at(-1) === 0 ? data.subarray(0, -1) : data
  if (text.length > 1 && text.every((byte) => byte >= 0x20 && byte < 0x7f)) {
    return printable(String.fromCharCode(...text.subarray(0, longest + 1)))
  }
  const digits = hex(data.subarray(0, shownBytes))
  return data.length > shownBytes ? `${digits}…` : digits
}
