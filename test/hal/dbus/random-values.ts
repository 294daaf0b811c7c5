import { type Value, Variant } from '#hal/dbus/values.ts'
import { hex } from '#runtime/base/bytes.ts'

const basic = ['y', 'b', 'n', 'q', 'i', 'u', 'x', 't', 'd', 's', 'o', 'g']
const texts = ['', 'a', 'Temperatur', 'ä€𝄞', '\uFEFFbom', 'x'.repeat(300)]
const paths = ['/', '/a', '/xyz/openbmc_project/sensors/temperature/CPU0']
const signatures = ['', 'y', 'a{sv}', '(ii)as', 'aaaa(v)']
const doubles = [0, -0, 1.5, -1e300, Number.NaN, Number.POSITIVE_INFINITY, 5e-324]

/**
 * Values of random types, each with its signature.
 *
 * @param chance numbers from 0 to below 1
 * @param hasShort whether structures in arrays may be shorter than 8 bytes: GLib 2.74 may lose the last of them
 */
export function randomValues(chance: () => number, hasShort: boolean) {
  const one = <T>(from: readonly T[]): T => from[Math.floor(chance() * from.length)] as T
  const whole = (least: number, most: number) => one([least, most, Math.floor(least + chance() * (most - least + 1))])
  const many = <T>(make: () => T): T[] => Array.from({ length: Math.floor(chance() * 4) }, make)

  /** The signature of one type. */
  const signature = (depth = 0, isItem = false): string => {
    const kind = depth > 4 ? 0 : chance()
    if (kind < 0.5) return one(basic)
    if (kind < 0.65) return 'v'
    const first = isItem && !hasShort ? 'x' : ''
    if (kind < 0.75) return `(${first}${signature(depth + 1)}${many(() => signature(depth + 1)).join('')})`
    if (kind < 0.85) return `a{${hasShort ? one(basic) : 't'}${signature(depth + 1)}}`
    return `a${signature(depth + 1, true)}`
  }

  /** A value of the type at the start of a signature. @returns it, and the rest of the signature */
  const value = (type: string, depth: number): [Value, string] => {
    const rest = type.slice(1)
    switch (type[0]) {
      case 'y':
        return [whole(0, 255), rest]
      case 'b':
        return [chance() < 0.5, rest]
      case 'n':
        return [whole(-0x8000, 0x7fff), rest]
      case 'q':
        return [whole(0, 0xffff), rest]
      case 'i':
        return [whole(-0x80000000, 0x7fffffff), rest]
      case 'u':
        return [whole(0, 0xffffffff), rest]
      case 'x':
        return [one([0n, -1n, -(2n ** 63n), 2n ** 63n - 1n]), rest]
      case 't':
        return [one([0n, 1n, 2n ** 64n - 1n]), rest]
      case 'd':
        return [one(doubles), rest]
      case 's':
        return [one(texts), rest]
      case 'o':
        return [one(paths), rest]
      case 'g':
        return [one(signatures), rest]
      case 'v': {
        const inner = signature(depth + 1)
        return [new Variant(inner, value(inner, depth + 1)[0]), rest]
      }
      case '(': {
        const members: Value[] = []
        let left = rest
        while (left[0] !== ')') {
          const [member, after] = value(left, depth + 1)
          members.push(member)
          left = after
        }
        return [members, left.slice(1)]
      }
      default:
        return array(rest, depth)
    }
  }

  const array = (type: string, depth: number): [Value, string] => {
    if (type[0] === 'y') return [Uint8Array.from(many(() => whole(0, 255))), type.slice(1)]
    if (type[0] !== '{') {
      const items = many(() => value(type, depth + 1)[0])
      return [items, value(type, depth + 1)[1]]
    }
    const entry = (): [Value, Value, string] => {
      const [key, after] = value(type.slice(1), depth + 1)
      const [content, end] = value(after, depth + 1)
      return [key, content, end.slice(1)]
    }
    return [new Map(many(entry).map(([key, content]) => [key, content])), entry()[2]]
  }

  return () => {
    const list = many(() => signature())
    return { signature: list.join(''), values: list.map((each) => value(each, 0)[0]) }
  }
}

/** Values as text, which is the same for the same values only. */
export function shown(value: Value | readonly Value[]): string {
  if (value instanceof Variant) return `<${value.signature} ${shown(value.value)}>`
  if (value instanceof Uint8Array) return `x${hex(value)}`
  if (value instanceof Map) return `{${[...value].map(([key, content]) => `${shown(key)}: ${shown(content)}`)}}`
  if (Array.isArray(value)) return `[${value.map(shown)}]`
  if (typeof value === 'bigint') return `${value}n`
  if (typeof value === 'number') return Object.is(value, -0) ? '-0' : String(value)
  return JSON.stringify(value)
}
