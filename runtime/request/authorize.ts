import { accountUri } from '#data/accounts'
import { isLicensed } from '#data/license'
import {
  type Caller,
  fail,
  forbidden,
  type HeldPrivilege,
  MessageError,
  type Method,
  message,
  type Requirement,
  type State
} from '#runtime/contract'
import type { RouteMatch } from './routes.ts'

/** Beside the caller, what a permission may rest on. */
export interface Grounds {
  readonly state: State
  now(): Date
}

/**
 * Lets a caller through to a method, by what the handler file says that it needs.
 *
 * @throws MessageError 403 InsufficientPrivilege, PasswordChangeRequired, GenerateSecretKeyRequired or LicenseKeyRequired, 503 ServiceDisabled for changes while the
 *   functions of the controller are disabled
 */
export function authorize(found: RouteMatch, method: Method, caller: Caller, grounds: Grounds): void {
  const needed = found.route.module.privileges[method]
  if (needed === 'NoAuth') return
  // DSP0266 13.2.6: what belongs to the caller, account and sessions, stays open until the password is changed.
  if (caller.passwordChangeRequired && !owns(found, caller, grounds)) {
    const account = `${accountUri(caller.account)}/`
    throw new MessageError(403, [message('Base.PasswordChangeRequired', account)])
  }
  if (caller.secretKeyRequired && !owns(found, caller, grounds)) {
    fail(403, 'Base.GenerateSecretKeyRequired', `${accountUri(caller.account)}/`)
  }
  if (needed === undefined || !holds(needed, found, caller, grounds)) forbidden()
  const feature = found.route.module.license?.[method]
  if (feature !== undefined && !isLicensed(grounds.state, feature, grounds.now())) fail(403, 'Mgmt.LicenseKeyRequired')
  if (method === 'GET' || found.route.module.whileDisabled) return
  if (grounds.state.get('controller', 'settings')?.disabled) fail(503, 'Base.ServiceDisabled', `${found.uri}/`)
}

/** Whether the method needs no authentication. */
export function open(found: RouteMatch | undefined, method: Method): boolean {
  return found?.route.module.privileges[method] === 'NoAuth'
}

function holds(needed: Requirement, found: RouteMatch, caller: Caller, grounds: Grounds): boolean {
  if (typeof needed === 'string') return caller.privileges.has(needed as never)
  if ('all' in needed) return needed.all.every((each) => caller.privileges.has(each))
  const mayBe = (each: HeldPrivilege) => each !== 'ConfigureSelf' || owns(found, caller, grounds)
  return needed.some((each) => caller.privileges.has(each) && mayBe(each))
}

function owns({ route, params }: RouteMatch, caller: Caller, grounds: Grounds): boolean {
  return route.module.owner?.({ params, state: grounds.state }) === caller.account
}
