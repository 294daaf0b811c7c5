/** The settings that a row of the table names: `a.b`, `.c` is a.b and a.c. */
export function named(row: string): string[] {
  const names = [...(row.split('|')[1] ?? '').matchAll(/`([\w.]+)`/g)].map(([, name = '']) => name)
  const group = names[0]?.replace(/\.[^.]*$/, '') ?? ''
  return names.map((name) => (name.startsWith('.') ? `${group}${name}` : name))
}

/** Every setting by its name, with its default. */
export function settings(value: object, path = ''): [string, string | number | boolean][] {
  return Object.entries(value).flatMap(([name, inner]) =>
    typeof inner === 'object' ? settings(inner, `${path}${name}.`) : [[`${path}${name}`, inner] as const]
  ) as [string, string | number | boolean][]
}

const units: Readonly<Record<string, number>> = { KiB: 1024, MiB: 1_048_576, GB: 1e9, s: 1, min: 1 }

/** Whether a row's words are a default: `8 KiB`, `0.25 s`, `` `sim` ``, or for an empty text what that means. */
export function says(words: string, value: string | number | boolean): boolean {
  const [, figure = '', unit] = /^([\d.]+)(?: (\w+))?$/.exec(words) ?? []
  if (typeof value === 'number' && value !== 0) {
    const size = Number(figure) * (unit === undefined ? 1 : (units[unit] ?? Number.NaN))
    return unit === 'GB' ? Math.abs(size - value) < 5e7 : size === value
  }
  return value === '' || value === 0 ? /^[^\d`]+$/.test(words) : words.replaceAll('`', '') === String(value)
}
