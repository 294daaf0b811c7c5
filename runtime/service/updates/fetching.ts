import type { Configuration } from '#data/configuration'
import { parseDestination } from '#data/events'
import {
  type Component,
  components,
  type Manifest,
  refusal,
  resetsVariables,
  takes,
  type Update,
  untaken,
  updateOf,
  updateSettings,
  waits
} from '#data/updates'
import { type Machine, message } from '#runtime/contract'
import { type Look, Transfer, TransferError } from '../media/transfer.ts'
import { percentFetched, tens, UpdateError, type UpdateRecords } from './records.ts'
import { UpdateFault } from './update-reader.ts'
import type { Uploads } from './uploads.ts'

/** Fetches the files of updates, by the rules of virtual media. */
export class Fetching {
  readonly #records: UpdateRecords
  readonly #machine: Machine
  readonly #uploads: Uploads
  readonly #configuration: Pick<Configuration, 'updates' | 'media'>
  readonly #transfers = new Map<string, Transfer>()

  constructor(
    records: UpdateRecords,
    machine: Machine,
    uploads: Uploads,
    configuration: Pick<Configuration, 'updates' | 'media'>
  ) {
    this.#records = records
    this.#machine = machine
    this.#uploads = uploads
    this.#configuration = configuration
  }

  /**
   * Settles when the file is here and is sound, and the record says what it is for.
   *
   * @param authorization the header of this name, for the server
   * @throws UpdateError
   */
  async run(id: string, authorization: string | undefined): Promise<void> {
    const update = this.#records.get(id) as Update
    const reader = this.#uploads.reader()
    let percent = 0
    const transfer = this.#transfer(update, this.#uploads.file(id), authorization, async (chunk, share) => {
      reader.add(chunk)
      const before = percent
      percent = tens(share, 0, percentFetched)
      if (percent > before) await this.#records.progress(id, percent)
    })
    this.#transfers.set(id, transfer)
    try {
      const transferring = message('Update.TransferringToComponent', update.source ?? '', 'the controller')
      await this.#records.commit(id, () => ({ messages: [transferring] }))
      await transfer.run()
      await this.#arrived(id, update, reader.end())
    } catch (error) {
      throw this.#explained(id, error as Error)
    } finally {
      this.#transfers.delete(id)
    }
  }

  /** Ends what is under way, of one update or of all. */
  cancel(reason: string, id?: string): void {
    for (const [each, transfer] of this.#transfers) if (id === undefined || id === each) transfer.cancel(reason)
  }

  #transfer({ source = '' }: Update, file: string, authorization: string | undefined, look: Look): Transfer {
    const { store } = this.#records
    const destination = parseDestination(source)
    if (destination === undefined) throw new RangeError('an update without a source')
    const { verifyCertificate } = updateSettings(store.get('updateService', 'settings'))
    const authorities = () =>
      store.keys('trustedCertificate').map((key) => store.get('trustedCertificate', key)?.pem ?? '')
    const { size, time } = this.#configuration.updates
    const settings = { ...this.#configuration.media, size, time }
    const trust = { ca: verifyCertificate ? authorities() : undefined, authorization }
    return new Transfer(destination, file, settings, trust, look)
  }

  /** @throws UpdateFault if the file is for none of the components that it may be for */
  async #arrived(
    id: string,
    { allowed, applyTime, resetVariables, targets }: Update,
    manifest: Manifest
  ): Promise<void> {
    const { store } = this.#records
    const component = this.#componentFor(manifest, targets)
    if (!allowed.includes(component.kind)) throw new UpdateFault('the user may not update its target')
    const refused = refusal({ machine: this.#machine, state: store }, component, manifest)
    if (refused !== undefined) throw new UpdateFault(refused)
    if (resetVariables && !resetsVariables(this.#machine, component))
      throw new UpdateFault('it has no variables to reset')
    const isOff = component.kind !== 'bios' || this.#machine.power(component.of) === 'Off'
    if (applyTime === 'Immediate' && !isOff) throw new UpdateFault('its host is not off')
    const state = waits(this.#machine, component, applyTime) ? 'Pending' : 'Running'
    const task = { name: `Update of ${component.name}`, state, percent: percentFetched } as const
    const known = { stage: 'Waiting', component: component.id, manifest } as const
    const determined = message('Update.TargetDetermined', component.name, manifest.version)
    await this.#records.commit(id, () => {
      if (updateOf(store, component.id) !== undefined)
        throw new UpdateFault(`${component.name} is being updated already`)
      return { task, messages: [determined], writes: { update: { [id]: known } } }
    })
  }

  #componentFor(manifest: Manifest, targets: readonly string[]): Component {
    const isTarget = ({ id, firmware }: Component) =>
      firmware !== undefined && (targets.length === 0 || targets.includes(id))
    const found = components(this.#machine.board).find((each) => isTarget(each) && takes(this.#machine, each, manifest))
    if (found === undefined) throw new UpdateFault(untaken(manifest))
    return found
  }

  #explained(id: string, error: Error): Error {
    const fault = error instanceof TransferError ? error.cause : error
    if (fault instanceof UpdateFault) {
      const refused = message('Mgmt.UpdateFileRefused', fault.message)
      return new UpdateError(fault, this.#records.about(id, 'Update.VerificationFailed'), refused)
    }
    if (!(error instanceof TransferError)) return error
    return new UpdateError(error, this.#records.about(id, 'Update.TransferFailed'))
  }
}
