import type { Json } from './server.ts'

/** Every resource that a body links to; references into a body and files are none. */
export function links(value: Json): string[] {
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, each]) =>
    name === '@odata.id' && typeof each === 'string' ? (each.endsWith('/') ? [each] : []) : links(each)
  )
}
