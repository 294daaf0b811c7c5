import { createHash } from 'node:crypto'
import { setVariables } from '#data/variables'
import {
  readSignatureLists,
  type Signature,
  type SignatureList,
  signatureListBytes,
  signaturesOf,
  withoutSignature,
  withSignature,
  x509Type
} from '#hal/uefi/signature-list.ts'
import {
  type Context,
  created,
  deferred,
  type Event,
  event,
  fail,
  type Machine,
  type Methods,
  notFound,
  type Outcome,
  type Writes
} from '#runtime/contract'
import {
  type DatabaseContents,
  databaseContent,
  databaseVariables,
  type SecureBootDatabase,
  secureBootDatabase,
  signatureOwner
} from './secure-boot.ts'
import { databaseUri } from './uris.ts'

type Place = Pick<Context<'ComputerSystemId' | 'SecureBootDatabaseId'>, 'params' | 'machine'>

/** The entries of a secure boot database. */
export interface OpenDatabase {
  readonly database: SecureBootDatabase
  readonly lists: readonly SignatureList[]
  /** By their ids, each once: what differs in its owner alone is the same to firmware. */
  readonly certificates: ReadonlyMap<string, Signature>
  readonly signatures: ReadonlyMap<string, Signature>
}

/** The database that a path names, for reading. Unreadable entries are left out. */
export function openDatabase({ params, machine }: Place): OpenDatabase {
  return open({ params, machine }).opened
}

/** The database that a path names, for a change of what it holds. @throws MessageError 409 when it is damaged */
export function openDatabaseToChange({ params, machine }: Place): OpenDatabase {
  const { opened, sound } = open({ params, machine })
  return sound ? opened : fail(409, 'Mgmt.KeyDatabaseDamaged', opened.database.id)
}

/** The writes that make databases hold new contents. @throws MessageError like {@link setVariables} */
export function setDatabases(machine: Machine, system: string, contents: DatabaseContents): Writes {
  return setVariables(machine, system, databaseVariables(machine, system, contents))
}

/** The event that databases of a system were changed. */
export function databasesChanged(system: string, contents: DatabaseContents): Event[] {
  return Object.keys(contents).map((id) => event('MgmtEvents.SecureBootDatabaseChanged', databaseUri(system, id), id))
}

/** The methods of what is in a database: nothing in a factory's copy can be changed. */
export function databaseMethods(change: 'POST' | 'DELETE'): Methods {
  return ({ SecureBootDatabaseId = '' }) =>
    secureBootDatabase(SecureBootDatabaseId)?.factory ? ['GET'] : ['GET', change]
}

/** One of the two collections of a database: how many entries it holds at most, and how a message names an entry. */
interface Members {
  readonly kind: 'certificates' | 'signatures'
  readonly most: number
  readonly named: readonly [type: string, property: string, value: string]
}

/**
 * The outcome of an enrolment.
 *
 * @param signature without an owner it is this service's
 * @throws MessageError 409 for an entry that already exists, and one too many; like {@link setVariables}
 */
export function enrolled(
  { params, uri, machine }: Place & Pick<Context, 'uri'>,
  { database, lists, ...members }: OpenDatabase,
  { kind, most, named }: Members,
  { type, owner = signatureOwner, data }: Pick<Signature, 'type' | 'data'> & { readonly owner?: string | undefined }
): Outcome {
  if (members[kind].has(signatureId(data))) fail(409, 'Base.ResourceAlreadyExists', ...named)
  if (members[kind].size >= most) fail(409, 'Base.CreateLimitReachedForResource')
  const signature = { type, owner: owner.toLowerCase(), data }
  const contents = { [database.id]: signatureListBytes(withSignature(lists, signature)) }
  const writes = setDatabases(machine, params.ComputerSystemId, contents)
  const events = databasesChanged(params.ComputerSystemId, contents)
  return { ...created(`${uri}/${signatureId(data)}`, writes), events }
}

/** The outcome of a removal, which firmware learns of at the next reset. @throws MessageError like {@link setVariables} */
export function withdrawn(
  { params, machine }: Place,
  { database, lists }: OpenDatabase,
  signature: Signature
): Outcome {
  const contents = { [database.id]: signatureListBytes(withoutSignature(lists, signature)) }
  const writes = setDatabases(machine, params.ComputerSystemId, contents)
  return { ...deferred(writes), events: databasesChanged(params.ComputerSystemId, contents) }
}

/** The id of an entry: of its content, so that it stays when others go. */
export function signatureId(data: Uint8Array): string {
  return createHash('sha256').update(data).digest('hex').slice(0, 32).toUpperCase()
}

function open({ params, machine }: Place): { opened: OpenDatabase; sound: boolean } {
  machine.system(params.ComputerSystemId)
  const database = secureBootDatabase(params.SecureBootDatabaseId) ?? notFound()
  const { lists, sound } = readSignatureLists(databaseContent(machine, params.ComputerSystemId, database))
  const all = signaturesOf(lists)
  const byId = (some: Signature[]) => new Map(some.map((each) => [signatureId(each.data), each]))
  const certificates = byId(all.filter(({ type }) => type === x509Type))
  const signatures = byId(all.filter(({ type }) => type !== x509Type))
  return { opened: { database, lists, certificates, signatures }, sound }
}
