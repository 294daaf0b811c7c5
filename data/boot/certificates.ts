import { signatureId, signatureOwner } from '#data/secure-boot'
import { setVariables } from '#data/variables'
import {
  readSignatureLists,
  type Signature,
  signatureListBytes,
  signaturesOf,
  withoutSignature,
  withSignature,
  x509Type
} from '#hal/uefi/signature-list.ts'
import { tlsCaCertificate } from '#hal/uefi/variables.ts'
import { fail, type Machine, type Writes } from '#runtime/contract'

/** The certificate authorities that the firmware of a system trusts when it boots over HTTPS, by their ids. */
export function bootCertificates(machine: Machine, system: string): ReadonlyMap<string, Signature> {
  const certificates = signaturesOf(listsOf(machine, system).lists).filter(({ type }) => type === x509Type)
  return new Map(certificates.map((each) => [signatureId(each.data), each]))
}

/** The writes that have firmware trust one more. @param data DER @throws MessageError 409, like {@link setVariables} */
export function withBootCertificate(machine: Machine, system: string, data: Uint8Array): Writes {
  const signature = { type: x509Type, owner: signatureOwner, data }
  return setLists(machine, system, signatureListBytes(withSignature(soundLists(machine, system), signature)))
}

/** The writes that have firmware trust one less. @throws MessageError 409, like {@link setVariables} */
export function withoutBootCertificate(machine: Machine, system: string, certificate: Signature): Writes {
  return setLists(machine, system, signatureListBytes(withoutSignature(soundLists(machine, system), certificate)))
}

function listsOf(machine: Machine, system: string) {
  machine.system(system)
  const { name, guid } = tlsCaCertificate
  return readSignatureLists(machine.variable(system, name, guid)?.data ?? new Uint8Array())
}

/** A change rewrites the whole variable, so entries that cannot be read would be lost. */
function soundLists(machine: Machine, system: string) {
  const { lists, sound } = listsOf(machine, system)
  return sound ? lists : fail(409, 'Mgmt.KeyDatabaseDamaged', tlsCaCertificate.name)
}

function setLists(machine: Machine, system: string, data: Uint8Array): Writes {
  return setVariables(machine, system, [{ ...tlsCaCertificate, data: data.length > 0 ? data : null }])
}
