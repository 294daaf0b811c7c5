import type { Reader } from '#runtime/contract'
import type { Sources } from '#runtime/request/view.ts'
import type { Accounts } from '#runtime/service/accounts/credentials.ts'
import type { OpenAccess } from './access.ts'
import type { OpenHardware } from './hardware.ts'
import type { OpenState } from './state.ts'
import type { OpenWorkers } from './workers.ts'

/** The services that add members to the context of handlers. */
type Services = Pick<OpenAccess, 'sessions'> &
  Pick<OpenHardware, 'lldp'> &
  Pick<OpenState, 'store'> &
  Pick<OpenWorkers, 'identity' | 'licenses' | 'subscriptions' | 'streams' | 'telemetry' | 'statistics' | 'energy'> & {
    readonly accounts: Accounts
  }

/**
 * The members that services add to the context of handlers: each calls `members(reader)` of its service. They are getters,
 * since a handler asks for one or two of them, and to make all takes as long as a small answer.
 */
export class ServiceMembers implements ReturnType<Sources['members']> {
  readonly services: Services
  readonly reader: Reader

  constructor(services: Services, reader: Reader) {
    this.services = services
    this.reader = reader
  }

  get credentials() {
    return this.services.accounts.members(this.reader).credentials
  }

  get isLocked() {
    return this.services.accounts.members(this.reader).isLocked
  }

  get accessed() {
    return this.services.sessions.members(this.reader).accessed
  }

  get ownCertificate() {
    return this.services.identity.members(this.reader).ownCertificate
  }

  get readLicense() {
    return this.services.licenses.members().readLicense
  }

  get delivery() {
    return this.services.subscriptions.members(this.reader).delivery
  }

  get streams() {
    return this.services.streams.members(this.reader).streams
  }

  get report() {
    return this.services.telemetry.members(this.reader).report
  }

  get powerMetrics() {
    return this.services.telemetry.members(this.reader).powerMetrics
  }

  get sensorHistory() {
    return this.services.telemetry.members(this.reader).sensorHistory
  }

  get sensorStatistics() {
    return this.services.statistics.members(this.reader).sensorStatistics
  }

  get energy() {
    return this.services.energy.members(this.reader).energy
  }

  get lldpNeighbour() {
    return this.services.lldp.members(this.reader).lldpNeighbour
  }

  get serviceLog() {
    return this.services.store.members(this.reader).serviceLog
  }
}
