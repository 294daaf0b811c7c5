import system from 'minnow:system'

function format(value: unknown): string {
  if (typeof value === 'string') return value
  if (value instanceof Error) return `${value}\n${value.stack ?? ''}`.trimEnd()
  return (typeof value === 'object' && value !== null ? JSON.stringify(value) : undefined) ?? String(value)
}

function print(fd: number, values: readonly unknown[]): void {
  system.write(fd, `${values.map(format).join(' ')}\n`)
}

const out = (...values: unknown[]) => print(1, values)
const err = (...values: unknown[]) => print(2, values)

/** Strings and numbers look as on Node.js; objects are printed as JSON. */
export default { log: out, info: out, debug: out, warn: err, error: err, trace: err }
