import { gunzipSync } from 'fflate'
import type { AttributeRegistry } from '#data/bios'
import type { Documents } from '#runtime/store/documents.ts'

/**
 * An attribute registry by its `Id`, read from its file: some 150 KiB of JSON, which nobody keeps.
 *
 * @throws RangeError where there is none
 */
export function readAttributeRegistry(documents: Documents, id: string): AttributeRegistry {
  const file = documents.get(`registries/${id}.json`)
  if (file === undefined) throw new RangeError(`there is no attribute registry ${id}`)
  return JSON.parse(new TextDecoder().decode(gunzipSync(file))) as AttributeRegistry
}
