import { Listeners } from '#runtime/base/listeners.ts'
import type { BiosAttribute, BiosSettings, BiosState, BiosValue, BiosValues, SecureBootState } from '../bios.ts'
import type { Properties } from '../dbus/mirror.ts'
import { type Dictionary, type Value, Variant } from '../dbus/values.ts'
import { HalError } from '../errors.ts'
import type { SharedState } from '../shared-state.ts'
import { condensedTable, plain, rowsOf, type Table, tableOf, typeOfAttribute, variantOf } from './bios-table.ts'
import { type BusOptions, busOptions, type Objects, wordOf } from './objects.ts'
import { openbmcSecureBoot, secureBootInterfaces } from './secure-boot.ts'

const managerInterface = 'xyz.openbmc_project.BIOSConfig.Manager'
const path = '/xyz/openbmc_project/bios_config/manager'

const passwordInterface = 'xyz.openbmc_project.BIOSConfig.Password'
const passwordPath = '/xyz/openbmc_project/bios_config/password'

/** The names of the users of the firmware on the bus. */
const passwordUsers = { Administrator: 'AdminPassword', User: 'UserPassword' } as const

export const biosInterfaces = [managerInterface, passwordInterface, ...secureBootInterfaces]

/** `BusOptions` in a board file. */
export const openbmcBiosOptions = { type: 'object', properties: busOptions } as const

/** The settings in OpenBMC's BIOS settings manager, of which there is one. */
export function openbmcBios(objects: Objects, { name }: BusOptions): BiosSettings {
  return new OpenbmcBios(objects, name)
}

class OpenbmcBios implements BiosSettings {
  readonly #objects: Objects
  readonly #name: string
  readonly #listeners = new Listeners<void>()
  /** As the mirror has it: another object when the table was told anew. */
  #told: Value | undefined
  #table: Table | undefined
  #state: BiosState | undefined
  readonly secureBoot: SharedState<SecureBootState>
  edition = 0

  constructor(objects: Objects, name: string) {
    this.#objects = objects
    this.#name = name
    this.secureBoot = openbmcSecureBoot(objects, name)
    objects.on((changed) => {
      if (changed.has(path) || changed.has(passwordPath)) this.#look()
    })
    this.#look()
  }

  get state(): BiosState | undefined {
    return this.#state
  }

  *attributes(): Iterable<BiosAttribute> {
    if (this.#state === undefined || this.#table === undefined) return
    for (const { attribute } of rowsOf(this.#table)) yield attribute
  }

  async ask(pending: BiosValues, reset: boolean): Promise<void> {
    const state = this.#state
    if (state === undefined) throw new HalError('ENODEV', `${this.#name}: the bus does not tell the state`)
    const unknown = Object.keys(pending).find((each) => !Object.hasOwn(state.current, each))
    if (unknown !== undefined) throw new HalError('EINVAL', `${this.#name}: there is no attribute ${unknown}`)
    const wanted = waiting(pending, state.current, reset)
    try {
      if (reset !== state.reset) {
        const flag = `${managerInterface}.ResetFlag.${reset ? 'FactoryDefaults' : 'NoAction'}`
        await this.#set('ResetBIOSSettings', new Variant('s', flag))
      }
      await this.#pend(wanted, state, reset)
      await this.#objects.until(path, () => {
        this.#look()
        return this.#state?.reset === reset && areSame(this.#state.pending, wanted)
      })
    } finally {
      this.#look()
    }
  }

  async changePassword(whose: keyof typeof passwordUsers, present: string, next: string): Promise<void> {
    const values = [passwordUsers[whose], present, next]
    await this.#objects.call(passwordPath, passwordInterface, 'ChangePassword', 'sss', values)
  }

  on(listener: () => void): () => void {
    return this.#listeners.add(listener)
  }

  async close(): Promise<void> {
    this.#listeners.clear()
    this.#objects.close()
  }

  #set(property: string, value: Variant): Promise<void> {
    return this.#objects.set(path, managerInterface, property, value)
  }

  /**
   * The daemon adds given values to the pending ones, and clears these when given none. A revoked value therefore stays
   * pending as its current one, so that the others remain pending at every moment.
   */
  async #pend(wanted: BiosValues, { current, pending }: BiosState, reset: boolean): Promise<void> {
    if (areSame(wanted, pending)) return
    const back = Object.keys(pending).filter((name) => !Object.hasOwn(wanted, name))
    const isEmpty = Object.keys(wanted).length === 0
    if (isEmpty || (reset && back.length > 0)) await this.#set('PendingAttributes', new Variant('a{s(sv)}', new Map()))
    if (isEmpty) return
    const all = { ...(reset ? {} : Object.fromEntries(back.map((name) => [name, current[name]]))), ...wanted }
    await this.#set('PendingAttributes', new Variant('a{s(sv)}', this.#typed(all as BiosValues)))
  }

  /** Values with their types. @throws {HalError} `EINVAL` for a value that its attribute cannot have */
  #typed(values: BiosValues): Map<Value, Value> {
    const typed = new Map<Value, Value>()
    for (const { attribute, signature } of this.#table === undefined ? [] : rowsOf(this.#table)) {
      const { name, type } = attribute
      if (!Object.hasOwn(values, name)) continue
      const value = variantOf(signature, values[name] as BiosValue)
      if (value === undefined) throw new HalError('EINVAL', `${this.#name}: ${name} is of the type ${type}`)
      typed.set(name, [`${managerInterface}.AttributeType.${type}`, value])
    }
    return typed
  }

  #look(): void {
    const properties = this.#objects.properties(path, managerInterface)
    const edition = this.edition
    const told = properties?.get('BaseBIOSTable')
    if (told !== undefined && told !== this.#told) {
      this.#told = told
      const table = tableOf(told, this.#table)
      if (table?.definitions !== this.#table?.definitions) this.edition += 1
      this.#table = table
    }
    const now = properties === undefined || told === undefined ? undefined : this.#read(properties)
    if (areAlike(now, this.#state) && edition === this.edition) return
    this.#state = now
    this.#listeners.emit()
  }

  #read(properties: Properties): BiosState | undefined {
    if (this.#table === undefined) return undefined
    const { current } = this.#table
    const word = wordOf(properties.get('ResetBIOSSettings'))
    const reset = word === 'FactoryDefaults' || word === 'FailSafeDefaults'
    const pending = waiting(pendingOf(properties.get('PendingAttributes')), current, reset)
    const takesPasswords = this.#objects.properties(passwordPath, passwordInterface) !== undefined
    return { current, pending, reset, takesPasswords }
  }
}

/** The properties that are kept in a condensed form. */
export const condensedBios = { BaseBIOSTable: condensedTable }

/** The pending values, of the type a{s(sv)}. Values that are not valid are left out. */
function pendingOf(value: Value | undefined): BiosValues {
  const pending: Record<string, BiosValue> = Object.create(null)
  if (value instanceof Map)
    for (const [name, typed] of value as Dictionary) {
      const [kind, content] = Array.isArray(typed) ? (typed as Value[]) : []
      const type = typeOfAttribute(kind)
      const found = type && content instanceof Variant ? plain(type, content.value) : undefined
      if (typeof name === 'string' && found != null) pending[name] = found
    }
  return { ...pending }
}

/** Values that change something: known attributes, and without a reset only if they are not current already. */
function waiting(pending: BiosValues, current: BiosValues, reset: boolean): BiosValues {
  const changes = ([name, value]: [string, BiosValue]) =>
    Object.hasOwn(current, name) && (reset || current[name] !== value)
  return Object.fromEntries(Object.entries(pending).filter(changes))
}

function areSame(one: BiosValues, other: BiosValues): boolean {
  const names = Object.keys(one)
  const isSame = (name: string) => Object.hasOwn(other, name) && one[name] === other[name]
  return names.length === Object.keys(other).length && names.every(isSame)
}

function areAlike(one: BiosState | undefined, other: BiosState | undefined): boolean {
  if (one === undefined || other === undefined) return one === other
  const isSame = one.current === other.current && one.takesPasswords === other.takesPasswords
  return isSame && one.reset === other.reset && areSame(one.pending, other.pending)
}
