import { gunzipSync } from 'fflate'
import type { AttributeRegistry } from '#data/bios'
import { utf8Text } from '#runtime/base/bytes.ts'
import type { Documents } from '#runtime/store/documents.ts'

/** Registries that are kept, by their documents: see `keepAttributeRegistries`. */
const kept = new WeakMap<Documents, Map<string, AttributeRegistry>>()

/** Keeps the registries of these documents once they are read: for a process with so many machines that it pays. */
export function keepAttributeRegistries(documents: Documents): void {
  kept.set(documents, kept.get(documents) ?? new Map())
}

/**
 * An attribute registry by its `Id`, read from its file: some 150 KiB of JSON, which is rarely kept in memory.
 *
 * @throws RangeError for an unknown `Id`
 */
export function readAttributeRegistry(documents: Documents, id: string): AttributeRegistry {
  const known = kept.get(documents)?.get(id)
  if (known !== undefined) return known
  const file = documents.get(`registries/${id}.json`)
  if (file === undefined) throw new RangeError(`there is no attribute registry ${id}`)
  const read = JSON.parse(utf8Text(gunzipSync(file.gzip))) as AttributeRegistry
  kept.get(documents)?.set(id, read)
  return read
}
