import type { AttributeRegistry } from '#data/bios'
import { type Known, partOf } from '../rules/known.ts'
import type { Bios } from '../types.ts'
import { fileAt } from './files.ts'

interface RegistryFile {
  readonly Location: readonly { readonly Uri: string }[]
}

/** The attribute registry that a BIOS names. */
export function attributeRegistryOf(bios: Known<Bios>): Known<AttributeRegistry> {
  const file = fileAt<RegistryFile>(partOf(bios, ({ AttributeRegistry: id }) => id && `/redfish/v1/Registries/${id}/`))
  return fileAt<AttributeRegistry>(partOf(file, ({ Location }) => Location[0]?.Uri))
}
