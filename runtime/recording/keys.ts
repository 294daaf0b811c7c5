import { enableSecureBoot, secureBootDatabase, signatureOwner } from '#data/secure-boot'
import type { VariableValue } from '#data/variables'
import {
  type Signature,
  type SignatureList,
  signatureListBytes,
  signatureTypes,
  withSignature,
  x509Type
} from '#hal/uefi/signature-list.ts'
import { bytes } from '#runtime/base/bytes.ts'
import { readPem } from '#runtime/base/pem.ts'
import { idOf, linkIn, linksIn, type Resource, type Resources, textIn } from './resources.ts'

/**
 * The key that a certificate or a signature of a secure boot database is, undefined if its bytes were not recorded.
 */
export function keyIn(resource: Resource | undefined): Signature | undefined {
  const owner = textIn(resource, 'UefiSignatureOwner') || signatureOwner
  const [block] = readPem(textIn(resource, 'CertificateString'))
  if (block?.bytes !== undefined) return { type: x509Type, owner: owner.toLowerCase(), data: block.bytes }
  const digits = textIn(resource, 'SignatureString')
  const named = textIn(resource, 'SignatureType')
  const [type] = Object.entries(signatureTypes).find(([, name]) => name === named) ?? []
  if (type === undefined || !/^([\da-f]{2})+$/i.test(digits)) return undefined
  return { type, owner: owner.toLowerCase(), data: bytes(digits) }
}

/** The recorded contents of a system's secure boot databases, as EFI signature lists by their ids. */
export function keysOf(resources: Resources, system: string): Record<string, Uint8Array> {
  const members = (link: unknown) => linksIn(resources.get(linkIn(link) ?? '')?.Members)
  const secureBoot = secureBootIn(resources, system)
  const contents: Record<string, Uint8Array> = {}
  for (const path of members(secureBoot?.SecureBootDatabases)) {
    const database = resources.get(path)
    if (secureBootDatabase(idOf(path)) === undefined) continue
    const keys = [...members(database?.Certificates), ...members(database?.Signatures)]
      .map((each) => keyIn(resources.get(each)))
      .filter((each) => each !== undefined)
    const lists = keys.reduce<readonly SignatureList[]>(withSignature, [])
    if (lists.length > 0) contents[idOf(path)] = signatureListBytes(lists)
  }
  return contents
}

/** The first variables of a system's firmware, and the state of secure boot; undefined if none was recorded. */
export function secureBootOf(resources: Resources, system: string) {
  const recorded = secureBootIn(resources, system)
  if (recorded === undefined) return { changes: [], current: undefined }
  const keys = Object.entries(keysOf(resources, system)).flatMap(([id, data]): VariableValue[] => {
    const { factory, guid, attributes } = secureBootDatabase(id)!
    return factory ? [] : [{ name: id, guid, attributes, data }]
  })
  return {
    changes: [...keys, enableSecureBoot(recorded.SecureBootEnable === true)],
    current: recorded.SecureBootCurrentBoot === 'Enabled' ? ('Enabled' as const) : ('Disabled' as const)
  }
}

function secureBootIn(resources: Resources, system: string): Resource | undefined {
  return resources.get(linkIn(resources.get(system)?.SecureBoot) ?? '')
}
