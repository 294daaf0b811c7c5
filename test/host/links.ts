import type { Json } from './server.ts'

/** The resources that a body links to, without files and references into a body. */
export function links(value: Json): string[] {
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, each]) =>
    name === '@odata.id' && typeof each === 'string' ? (each.endsWith('/') ? [each] : []) : links(each)
  )
}
