/** How a terminal sends keys that are no characters. Firmware knows one of them as a rule. */
export type KeySet = 'xterm' | 'VT100+'

const digits = '1234567890!@'

/** Sequences of xterm for F5 and those after it, and of the others, between `ESC [` and `~`. */
const numbers = [15, 17, 18, 19, 20, 21, 23, 24]

/** The keys F1 to F12. */
export const functionKeys = Array.from({ length: 12 }, (_, index) => `F${index + 1}`)

/** Keys that a browser or the user's own system keeps to itself, or that terminals send in several ways. */
export const otherKeys = [
  'Esc',
  'Del',
  'Ins',
  'Home',
  'End',
  'PgUp',
  'PgDn',
  'Ctrl+C',
  'Ctrl+]',
  'Ctrl+Alt+Del'
] as const

type OtherKey = (typeof otherKeys)[number]

const others: Readonly<Record<OtherKey, readonly [xterm: string, vt100Plus: string]>> = {
  Esc: ['\x1b', '\x1b'],
  Del: ['\x1b[3~', '\x1b-'],
  Ins: ['\x1b[2~', '\x1b+'],
  Home: ['\x1b[H', '\x1bh'],
  End: ['\x1b[F', '\x1bk'],
  PgUp: ['\x1b[5~', '\x1b?'],
  PgDn: ['\x1b[6~', '\x1b/'],
  'Ctrl+C': ['\x03', '\x03'],
  'Ctrl+]': ['\x1d', '\x1d'],
  // A terminal of xterm's kind has no such key; firmware resets the machine for this sequence.
  'Ctrl+Alt+Del': ['\x1bR\x1br\x1bR', '\x1bR\x1br\x1bR']
}

/** Commands of Linux for its key SysRq, which are sent after a break (sysrq.rst of its documentation), and their names. */
export const sysRqCommands = [
  ['h', 'sysRqHelp'],
  ['s', 'sysRqSync'],
  ['u', 'sysRqReadOnly'],
  ['b', 'sysRqRestart'],
  ['c', 'sysRqCrash']
] as const

/** The bytes that a terminal sends for a key. */
export function sequenceOf(key: string, set: KeySet): string {
  const index = functionKeys.indexOf(key)
  if (index < 0) return others[key as OtherKey][set === 'xterm' ? 0 : 1]
  if (set === 'VT100+') return `\x1b${digits[index]}`
  return index < 4 ? `\x1bO${'PQRS'[index]}` : `\x1b[${numbers[index - 4]}~`
}
