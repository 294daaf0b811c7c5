import { Listeners } from '#runtime/base/listeners.ts'
import { Variant } from '../dbus/values.ts'
import { HalError } from '../errors.ts'
import type { SharedState } from '../shared-state.ts'
import type { User, UserChange, UserPolicy, Users } from '../users.ts'
import { type BusOptions, busOptions, type Objects } from './objects.ts'
import { Passwords } from './passwords.ts'
import { put, sharedState } from './shared-state.ts'

/** The back end `openbmc` of users: those of OpenBMC's user manager. */
export interface OpenbmcUsersOptions extends BusOptions {
  /** The socket of the helper that asks PAM. Default `/run/minnow-pam`. */
  readonly passwords?: string | undefined
}

/** {@link OpenbmcUsersOptions} in a board file. */
export const openbmcUsersOptions = {
  type: 'object',
  properties: {
    passwords: { type: 'string', description: 'The socket of the helper that asks PAM. Default /run/minnow-pam' },
    ...busOptions
  }
} as const

const manager = 'xyz.openbmc_project.User.Manager'
const attributes = 'xyz.openbmc_project.User.Attributes'
const deletion = 'xyz.openbmc_project.Object.Delete'
const root = '/xyz/openbmc_project/user'

const policyInterface = 'xyz.openbmc_project.User.AccountPolicy'

export const userInterfaces = [manager, attributes, deletion, policyInterface]

/** The group whose members may use this service. */
const group = 'redfish'

const privileges = {
  Administrator: 'priv-admin',
  Operator: 'priv-operator',
  ReadOnly: 'priv-user',
  None: ''
} as const

/** Users are objects below the manager's, by their names. */
export function openbmcUsers(objects: Objects, options: OpenbmcUsersOptions): Users {
  return new OpenbmcUsers(objects, options)
}

class OpenbmcUsers implements Users {
  readonly #objects: Objects
  readonly #name: string
  readonly #passwords: Passwords
  readonly policy: SharedState<UserPolicy>
  readonly #listeners = new Listeners<ReadonlySet<string>>()
  #users: Map<string, User> | undefined

  constructor(objects: Objects, { name, passwords = '/run/minnow-pam' }: OpenbmcUsersOptions) {
    this.#objects = objects
    this.#name = name
    this.#passwords = new Passwords(name, passwords)
    this.policy = policyOf(objects, name)
    objects.on((changed) => {
      if ([...changed].some((path) => path === root || path.startsWith(`${root}/`))) this.#look()
    })
    this.#look()
  }

  get users(): ReadonlyMap<string, User> | undefined {
    return this.#users
  }

  async create(name: string, { role, enabled }: Pick<User, 'role' | 'enabled'>, password: string): Promise<void> {
    const values = [name, [group], privileges[role], enabled]
    await this.#objects.call(root, manager, 'CreateUser', 'sassb', values)
    try {
      await this.#passwords.change(name, password)
    } catch (error) {
      await this.#objects.until(pathOf(name), () => this.#read(name) !== undefined)
      await this.remove(name)
      throw error
    }
    await this.#until(name, (user) => user !== undefined)
  }

  async change(name: string, { name: next, role, enabled, locked, password }: UserChange): Promise<void> {
    this.#need(name)
    const set = (property: string, value: Variant) => put(this.#objects, pathOf(name), attributes, property, value)
    try {
      if (password !== undefined) await this.#passwords.change(name, password)
      if (role !== undefined) await set('UserPrivilege', new Variant('s', privileges[role]))
      if (enabled !== undefined) await set('UserEnabled', new Variant('b', enabled))
      if (locked !== undefined) await set('UserLockedForFailedAttempt', new Variant('b', false))
    } finally {
      this.#look()
    }
    if (next === undefined || next === name) return
    await this.#objects.call(root, manager, 'RenameUser', 'ss', [name, next])
    await this.#until(next, (user) => user !== undefined)
  }

  async remove(name: string): Promise<void> {
    await this.#objects.call(pathOf(name), deletion, 'Delete')
    await this.#until(name, (user) => user === undefined)
  }

  verify(name: string, password: string, address: string): Promise<'ok' | 'denied' | 'expired'> {
    return this.#passwords.verify(name, password, address)
  }

  on(listener: (names: ReadonlySet<string>) => void): () => void {
    return this.#listeners.add(listener)
  }

  async close(): Promise<void> {
    this.#listeners.clear()
    this.#objects.close()
  }

  #need(name: string): void {
    if (this.#read(name) === undefined) throw new HalError('ENODEV', `${this.#name}: the bus has no user ${name}`)
  }

  async #until(name: string, condition: (user: User | undefined) => boolean): Promise<void> {
    await this.#objects.until(pathOf(name), () => condition(this.#read(name)))
    this.#look()
  }

  #read(name: string): User | undefined {
    const properties = this.#objects.properties(pathOf(name), attributes)
    if (properties === undefined) return undefined
    const privilege = properties.get('UserPrivilege')
    const role = (Object.keys(privileges) as User['role'][]).find((each) => privileges[each] === privilege)
    const groups = properties.get('UserGroups')
    return {
      role: role ?? 'None',
      enabled: properties.get('UserEnabled') === true && Array.isArray(groups) && groups.includes(group),
      locked: properties.get('UserLockedForFailedAttempt') === true,
      expired: properties.get('UserPasswordExpired') === true
    }
  }

  #look(): void {
    // Without the manager, nothing says that a user is gone.
    if (this.#objects.properties(root, manager) === undefined) return
    const before = this.#users ?? new Map<string, User>()
    const now = new Map<string, User>()
    for (const path of this.#objects.paths(attributes)) {
      const name = path.startsWith(`${root}/`) ? path.slice(root.length + 1) : ''
      const user = this.#read(name)
      if (user !== undefined && /^[^/]+$/.test(name)) now.set(name, user)
    }
    const isSame = (name: string) => JSON.stringify(before.get(name)) === JSON.stringify(now.get(name))
    const changed = new Set([...before.keys(), ...now.keys()].filter((name) => !isSame(name)))
    const isFirst = this.#users === undefined
    this.#users = now
    if (isFirst || changed.size > 0) this.#listeners.emit(changed)
  }
}

/** The properties of the policy, and their types. */
const policies = {
  shortestPassword: ['MinPasswordLength', 'y'],
  lockoutThreshold: ['MaxLoginAttemptBeforeLockout', 'q'],
  lockoutDuration: ['AccountUnlockTimeout', 'u']
} as const

function policyOf(objects: Objects, name: string): SharedState<UserPolicy> {
  let last: UserPolicy | undefined
  const read = () => {
    const properties = objects.properties(root, policyInterface)
    const values = Object.entries(policies).map(([each, [property]]) => [each, properties?.get(property)] as const)
    if (values.every(([, value]) => typeof value === 'number'))
      last = Object.fromEntries(values) as unknown as UserPolicy
    return last
  }
  const store = async (change: Partial<UserPolicy>) => {
    for (const [each, [property, type]] of Object.entries(policies)) {
      const value = change[each as keyof UserPolicy]
      if (value !== undefined) await put(objects, root, policyInterface, property, new Variant(type, value))
    }
  }
  return sharedState(objects, { name, paths: [root], read, store })
}

const pathOf = (name: string) => `${root}/${name}`
