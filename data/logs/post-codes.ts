import { systemUri } from '#data/system'
import {
  bytes,
  hex,
  message,
  messageText,
  notFound,
  registryVersion,
  type State,
  type Tables,
  type Writes
} from '#runtime/contract'
import type { LogDeclaration } from './declaration.ts'
import { logKey, logKeys, logNumber } from './logs.ts'

/** The boots whose codes are kept, and the codes of each: the last ones. */
const [boots, codesOfBoot] = [5, 256]

const recordsOf = (state: Pick<State, 'keys'>, system: string) => logKeys(state.keys('postCodes'), system)

/** The canonical URI of the log, without a trailing slash. */
export const postCodesUri = (system: string) => `${systemUri(system)}/LogServices/PostCodes`

/** The codes that the firmware of a host reports: an entry for each, by boot and number. */
export const postCodes: LogDeclaration = {
  of: 'Systems',
  id: 'PostCodes',
  name: 'POST codes',
  type: 'Event',
  isOn: ({ systems }, owner) => systems[owner]?.postCodes !== undefined,
  most: () => boots * codesOfBoot,
  open: ({ state }, owner) => ({
    ids: () =>
      recordsOf(state, owner).flatMap((key) => {
        const { times, dropped } = state.get('postCodes', key) ?? notFound()
        return times.map((_, index) => `${logNumber(key)}-${dropped + index + 1}`)
      }),
    entry(id) {
      const { boot, started, code, time } = find(state, owner, id)
      const told = message('MgmtEvents.PostCode', `0x${hex(code)}`, String(boot), (time / 1000).toFixed(3))
      return {
        Created: new Date(Date.parse(started) + time).toISOString(),
        EntryType: 'Event',
        Message: messageText(told),
        MessageArgs: [...told.args],
        MessageId: `MgmtEvents.${registryVersion('MgmtEvents')}.PostCode`,
        Severity: 'OK'
      }
    },
    attached(id) {
      const { code } = find(state, owner, id)
      return { size: code.length, bytes: code }
    }
  }),
  clear: (state, owner) => ({
    postCodes: Object.fromEntries(recordsOf(state, owner).map((key) => [key, null]))
  })
}

function find(state: Pick<State, 'get'>, system: string, id: string) {
  const [, boot, number] = /^([1-9]\d{0,9})-([1-9]\d{0,9})$/.exec(id) ?? notFound()
  const { started, codes, times, dropped } = state.get('postCodes', logKey(system, Number(boot))) ?? notFound()
  const at = Number(number) - dropped - 1
  const time = times[at] ?? notFound()
  return { boot: Number(boot), started, time, code: bytes(codes.slice(2 * at, 2 * at + 2)) }
}

/** The record of a boot that starts. @param started ISO 8601 */
export function firstPostCodes(started: string): Tables['postCodes'] {
  return { started, codes: '', times: [], dropped: 0 }
}

/** The record with more codes. @param time milliseconds since the start */
export function withPostCodes(
  { started, ...before }: Tables['postCodes'],
  more: Uint8Array,
  time: number
): Tables['postCodes'] {
  const codes = before.codes + hex(more)
  const times = [...before.times, ...Array.from(more, () => time)]
  const dropped = before.dropped + Math.max(0, times.length - codesOfBoot)
  return { started, codes: codes.slice(-2 * codesOfBoot), times: times.slice(-codesOfBoot), dropped }
}

/** The number of the next boot of a system. */
export function nextBoot(state: Pick<State, 'keys'>, system: string): number {
  return logNumber(recordsOf(state, system).at(-1) ?? logKey(system, 0)) + 1
}

/** The writes that store what a boot has reported; the oldest boot gives way. */
export function storePostCodes(
  state: Pick<State, 'keys'>,
  system: string,
  boot: number,
  record: Tables['postCodes']
): Writes {
  const key = logKey(system, boot)
  const others = recordsOf(state, system).filter((each) => each !== key)
  const oldest = others.slice(0, Math.max(0, others.length + 1 - boots)).map((each) => [each, null] as const)
  return { postCodes: { ...Object.fromEntries(oldest), [key]: record } }
}
